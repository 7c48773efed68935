# The energy ledger: change of stored energy = work - dissipation + residual.
eval png(900)
set output "energy.png"
stats "record.csv" using "energy_j" every ::::0 nooutput
first_j = STATS_min
stats "record.csv" using "dissipated_limiter_j" nooutput
capped = STATS_max > 0 ? "Newton's cap" : ""
eval mark_events
eval name_events
eval heading("Energy ledger since the start")
mj(name) = column(name) / 1e6
lost_mj(dummy) = sum [i = 1:words(losses)] mj("dissipated_".word(losses, i)."_j")
losses = "vessel_damping pipe_drag pipe_rotation structural limiter"
set multiplot
set format x ""

eval panel(1, 3)
eval vertical("energy [MJ]")
plot "record.csv" using "time_s":((column("energy_j") - first_j) / 1e6) with lines linetype 7 linewidth 3 title "stored energy", \
  "" using "time_s":(mj("work_control_j")) with lines linetype 1 title "work of the controller", \
  "" using "time_s":(mj("work_loads_j")) with lines linetype 2 title "work of the loads", \
  "" using "time_s":(mj("work_current_j")) with lines linetype 3 title "work of the current", \
  "" using "time_s":(-lost_mj(0)) with lines linetype 4 title "dissipation, negative"
eval after_first

eval panel(2, 3)
eval vertical("dissipated [J]")
set logscale y
set format y "10^{%T}"
set yrange [1e-2:10 < *]
set ytics 100
loss(name) = column("dissipated_".name."_j") > 1e-2 ? column("dissipated_".name."_j") : 1e-2
plot "record.csv" using "time_s":(loss("pipe_drag")) with lines linetype 4 title "drag of the pipe", \
  "" using "time_s":(loss("vessel_damping")) with lines linetype 1 title "damping of the vessel", \
  "" using "time_s":(loss("structural")) with lines linetype 3 title "structural damping", \
  "" using "time_s":(loss("pipe_rotation")) with lines linetype 6 title "rotational damping", \
  "" using "time_s":(loss("limiter")) with lines linetype 7 title capped
unset logscale y
set format y "%g"
set ytics auto

eval panel(3, 3)
eval vertical("residual [mJ]")
eval last_panel
plot "record.csv" using "time_s":(column("residual_j") * 1e3) with lines linetype 2 title "numerical residual"
unset multiplot
