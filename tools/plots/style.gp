# Common style of the plots of tools/demo. The working directory contains record.csv and shapes.csv. Input variables:
#   setpoint_north_m, setpoint_east_m, setpoint_heading_deg
#   disturbed_s, active_s   start of the disturbance and take-over of the controller; -1: none
#   end_s, step_s
reset  # what another plot has set before
set datafile separator comma
set datafile columnheaders
set datafile missing "nan"
set encoding utf8

set linetype 1 linecolor rgb "#0072b2" linewidth 2  # blue
set linetype 2 linecolor rgb "#d55e00" linewidth 2  # vermilion
set linetype 3 linecolor rgb "#009e73" linewidth 2  # green
set linetype 4 linecolor rgb "#cc79a7" linewidth 2  # pink
set linetype 5 linecolor rgb "#56b4e9" linewidth 2  # light blue
set linetype 6 linecolor rgb "#8c6d00" linewidth 2  # ochre
set linetype 7 linecolor rgb "#555555" linewidth 2
set style line 10 linecolor rgb "#222222" linewidth 1.5 dashtype (10, 6)  # set-point
set style line 11 linecolor rgb "#999999" linewidth 1.2 dashtype (2, 4)   # event
set style line 12 linecolor rgb "#dddddd" linewidth 1

set border linewidth 1 linecolor rgb "#444444"
set grid linestyle 12
set tics nomirror out
set key at screen 0.805, graph 1 left top reverse Left samplen 2 spacing 1.2
set lmargin at screen 0.105
set rmargin at screen 0.79
set xrange [0:end_s]

png(height) = sprintf("set terminal pngcairo size 1100,%d font 'DejaVu Sans,11' enhanced background rgb 'white'", height)
# Events as lines, once for each plot, and their names, once in its first panel. A missing event has a negative time.
line_at(n, t) = t < 0 ? "" : sprintf("set arrow %d from %.9g, graph 0 to %.9g, graph 1 nohead linestyle 11 back;", n, t, t)
name_at(n, t, name) = t < 0 ? "" : sprintf("set label %d '%s' at %.9g, graph 1.06 left textcolor rgb '#555555';", n, name, t)
mark_events = line_at(1, disturbed_s).line_at(2, active_s)
name_events = name_at(1, disturbed_s, "disturbance").name_at(2, active_s, "controller on")
heading(text) = sprintf("set label 3 \"%s\" at screen 0.45, screen 0.975 center font ',14'", text)
vertical(text) = sprintf("set label 4 \"%s\" at screen 0.022, graph 0.5 center rotate by 90", text)
panel(n, count) = sprintf("set yrange [*:*]; set tmargin at screen %.4f; set bmargin at screen %.4f", \
  0.92 - (n - 1) * 0.85 / count, 0.92 - n * 0.85 / count + 0.035)
after_first = "unset label 1; unset label 2; unset label 3"
last_panel = "set format x '%g'; set xlabel 'simulated time [s]'"

# Axis range that contains all data and extends at least span to both sides of the centre, so that rounding is not magnified.
fit(low, high, centre, span) = sprintf("set yrange [%.9g:%.9g]", \
  (low < centre - span ? low - 0.05 * (high - low) : centre - span), \
  (high > centre + span ? high + 0.05 * (high - low) : centre + span))
