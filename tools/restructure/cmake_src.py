import subprocess, sys, re
root, manifest = sys.argv[1:3]
p = root + '/src/CMakeLists.txt'; t = open(p).read()
rooms = subprocess.run(['python3', '@HERE@/rooms_cmake.py', root, manifest], capture_output=True, text=True).stdout
blocks = re.split(r'\n(?=room\()', rooms.strip())
blocks = {re.match(r'room\(([^ )]+)', b)[1]: b for b in blocks}
head = t[:t.index('# The rooms, bottom up')]
tail = t[t.index('# What links a program: its main.c'):]
rep = t[t.index('set(report_template'):t.index('room(trials/run')]
rep = rep.replace('trials_report', 'lab_trials').replace('/trials/report/report_template.h', '/lab/trials/report_template.h').replace('lab/report/', 'lab/trials/')
out = head + '# The rooms, bottom up (docs/architecture.md). BELOW names exactly the rooms that a room includes.\n\n'
for r, b in blocks.items():
    out += b + '\n'
    if r == 'lab/hydro': out += '''set_source_files_properties(lab/hydro/hydro_axes.c lab/hydro/memory_fit.c lab/hydro/fit_error.c lab/hydro/memory_model.c lab/hydro/hydro_solve.c
  PROPERTIES COMPILE_OPTIONS -fcx-limited-range) # the fit multiplies finite complex numbers only
'''
    if r == 'lab/sweep': out += '''set_source_files_properties(lab/sweep/wave_fit.c lab/sweep/linear_answer.c
  PROPERTIES COMPILE_OPTIONS -fcx-limited-range) # quotients of finite complex numbers only
'''
    if r == 'lab/trials': out += rep.rstrip() + '\n'
    if r == 'view/page': out += 'include(view/page/page.cmake)\n'
out += '\n' + tail
for n in ('app', 'lab', 'dp', 'view'):
    room = {'app': 'run/app', 'lab': 'lab/app', 'dp': 'run/dp', 'view': 'view/app'}[n]
    out = re.sub(rf'program\((\S+) {n}\)', rf'program(\1 {room})', out)
out = out.replace('''  add_executable(${name} ${room}/main.c)
  target_link_libraries(${name} PRIVATE ${room})''', '''  string(REPLACE "/" "_" library ${room})
  add_executable(${name} ${room}/main.c)
  target_link_libraries(${name} PRIVATE ${library})''')
out = out.replace('target_link_libraries(manual_writer PRIVATE manual)', 'target_link_libraries(manual_writer PRIVATE run_manual)')
open(p, 'w').write(out)
q = root + '/tools/cmake/rooms.cmake'; t = open(q).read()
t = t.replace('NOT name MATCHES "^(core|control|hil|verify)(/|$)"', 'NOT name MATCHES "^(sagbend|verification)/" OR name MATCHES "^sagbend/(yaml|case)$"')
t = t.replace('if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT name MATCHES "^(sagbend|verification)/" OR name MATCHES "^sagbend/(yaml|case)$")', 'if(CMAKE_BUILD_TYPE STREQUAL "Release" AND (NOT name MATCHES "^(sagbend|verification)/" OR name MATCHES "^sagbend/(yaml|case)$"))')
open(q, 'w').write(t)
