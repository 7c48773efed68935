# Lay: tension at the hang-off and at the touchdown point, pay-out beside the way, utilisation.
eval png(980)
set output "lay.png"
eval heading("Lay")
set multiplot
set format x ""

eval panel(1, 4)
eval vertical("tension [kN]")
plot "record.csv" using "time_s":(column("hangoff_tension_n") / 1e3) with lines linetype 1 linewidth 1 title "hang-off", \
  "record.csv" using "time_s":(column("touchdown_tension_n") / 1e3) with lines linetype 2 linewidth 1 title "touchdown point"
eval after_first

eval panel(2, 4)
set yrange [0:*]
eval vertical("[m]")
plot "record.csv" using "time_s":"route_distance_m" with lines linetype 3 title "distance along the route", \
  "record.csv" using "time_s":"paid_out_m" with lines linetype 1 title "pipe paid out"

eval panel(3, 4)
eval vertical("pay-out less way [m]")
plot "record.csv" using "time_s":"payout_minus_distance_m" with lines linetype 4 notitle

eval panel(4, 4)
eval vertical("utilisation")
eval last_panel
set yrange [0:*]
plot "record.csv" using "time_s":"utilisation" with lines linetype 1 title "code check, governing", \
  "record.csv" using "time_s":"stress_utilisation" with lines linetype 2 linewidth 1 title "stress"
unset multiplot
