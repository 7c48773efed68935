# Ledger of a pay-out and recovery with laid pipe that retires (tools/pictures): length, ports, small ports and losses, closure.
eval png(1000)
set output "laying-ledger.png"
eval heading("450 m out, 250 m back, with laid pipe that retires: energy ledger since the start")
mj(name) = column(name) / 1e6
losses = "vessel_damping pipe_drag pipe_rotation seabed friction structural limiter"
lost_mj(dummy) = sum [i = 1:words(losses)] mj("dissipated_".word(losses, i)."_j")
least_j = 1e-1
size_j(name) = abs(column(name)) > least_j ? abs(column(name)) : NaN
set multiplot
set format x ""

eval panel(1, 4)
eval vertical("[m]")
plot "record.csv" using "time_s":"paid_out_m" with lines linetype 1 title "pipe paid out", \
  "" using "time_s":"retired_arc_length_m" with lines linetype 2 title "retired up to"
eval after_first

eval panel(2, 4)
eval vertical("energy [MJ]")
first_j = 0
stats "record.csv" using "energy_j" every ::::0 nooutput
first_j = STATS_min
plot "record.csv" using "time_s":((column("energy_j") - first_j) / 1e6) with lines linetype 7 linewidth 3 title "stored energy", \
  "" using "time_s":(mj("work_tensioner_j")) with lines linetype 1 title "port tensioner", \
  "" using "time_s":(mj("work_feed_j")) with lines linetype 3 title "port feed", \
  "" using "time_s":(mj("work_control_j")) with lines linetype 2 title "port control", \
  "" using "time_s":(-lost_mj(0)) with lines linetype 4 \
    title "losses, negative"

eval panel(3, 4)
eval vertical("size [J]")
set logscale y
set format y "10^{%T}"
set yrange [least_j:1e6]
plot "record.csv" using "time_s":(size_j("work_retired_j")) with lines linetype 2 title "port retired", \
  "" using "time_s":(size_j("work_remesh_j")) with lines linetype 1 title "port remesh", \
  "" using "time_s":(size_j("dissipated_structural_j")) with lines linetype 3 title "structural damping", \
  "" using "time_s":(size_j("dissipated_friction_j")) with lines linetype 6 title "friction on the seabed"

eval panel(4, 4)
eval vertical("closure")
eval last_panel
set yrange [1e-16:1e-8]
set ytics 100
plot "record.csv" using "time_s":"ledger_closure" with lines linetype 2 title "residual over turnover"
unset multiplot
