# Hang-off tension and hang-off angle.
eval png(700)
set output "tension.png"
eval mark_events
eval name_events
eval heading("Pipe at the hang-off")
set multiplot
set format x ""

eval panel(1, 2)
eval vertical("tension [kN]")
plot "record.csv" using "time_s":(column("hangoff_tension_n") / 1e3) with lines linetype 1 title "axial tension"
eval after_first

eval panel(2, 2)
eval vertical("angle [deg]")
eval last_panel
plot "record.csv" using "time_s":(column("hangoff_angle_rad") * 180 / pi) with lines linetype 2 \
  title "above horizontal"
unset multiplot
