# Position and heading against the set-point.
eval png(850)
set output "position.png"
eval mark_events
eval name_events
eval heading("Position and heading of the vessel")
set multiplot
set format x ""

eval panel(1, 3)
eval vertical("north [m]")
stats "record.csv" using "north_m" nooutput
eval fit(STATS_min, STATS_max, setpoint_north_m, 1)
plot "record.csv" using "time_s":"north_m" with lines linetype 1 title "north", \
  setpoint_north_m with lines linestyle 10 title "set-point"
eval after_first

eval panel(2, 3)
eval vertical("east [m]")
stats "record.csv" using "east_m" nooutput
eval fit(STATS_min, STATS_max, setpoint_east_m, 1)
plot "record.csv" using "time_s":"east_m" with lines linetype 2 title "east", \
  setpoint_east_m with lines linestyle 10 title "set-point"

eval panel(3, 3)
eval vertical("heading [deg]")
eval last_panel
heading_deg = "column('heading_rad') * 180 / pi"
stats "record.csv" using (@heading_deg) nooutput
eval fit(STATS_min, STATS_max, setpoint_heading_deg, 0.5)
plot "record.csv" using "time_s":(@heading_deg) with lines linetype 3 title "heading", \
  setpoint_heading_deg with lines linestyle 10 title "set-point"
unset multiplot
