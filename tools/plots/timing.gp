# How the steps kept up with the wall clock.
eval png(480)
set output "timing.png"
eval heading("Step time and wake-up latency, a sample of the steps")
eval vertical("[µs]")
set tmargin at screen 0.90
set xlabel "simulated time [s]"
set logscale y
set yrange [1:3e6 * step_s]
plot "record.csv" using "time_s":"step_us" with points pointtype 7 pointsize 0.5 linetype 1 title "step time", \
  "" using "time_s":"wakeup_us" with points pointtype 7 pointsize 0.5 linetype 2 title "wake-up latency", \
  1e6 * step_s with lines linestyle 10 title "period"
