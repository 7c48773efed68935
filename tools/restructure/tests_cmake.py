import re, sys, glob
root, manifest = sys.argv[1:3]
m = {}
for line in open(manifest):
    if line.startswith('room '):
        a, b = line[5:].split('#')[0].split('=')
        for o in b.split(): m[o.replace('/', '_')] = a.strip().replace('/', '_')
for p in glob.glob(root + '/tests/**/CMakeLists.txt', recursive=True) + glob.glob(root + '/tests/**/*.cmake', recursive=True):
    t = open(p).read()
    def sub(k):
        head, args = k[1], k[2]
        first, *rest = re.split(r'(\s+)', args, 1) if re.search(r'\s', args) else (args,)
        if not rest: return k[0]
        body = ''.join(rest)
        body = re.sub(r'(?<![\w$./{"-])(' + '|'.join(sorted(m, key=len, reverse=True)) + r')(?![\w./}"-])', lambda j: m[j[1]], body)
        # drop repeats on one line
        return head + '(' + first + body + ')'
    n = re.sub(r'((?:unit_test|scene_test|target_link_libraries|benchmark|fuzz_harness|fuzz|harness|bench|program_helper|helper|add_helper|run_bench)\w*)\(([^()]*)\)', sub, t)
    n = n.replace('''  file(GLOB_RECURSE every_core CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/core/*.c)
''', '''  foreach(room base math ground env signals stinger pipe steel power vessel model lay integrator sim)
    file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/sagbend/${room}/*.c)
    list(APPEND every_core ${files})
  endforeach()
''')
    if n != t: open(p, 'w').write(n); print(p)
