import re, os, glob, collections, sys
root, manifest = sys.argv[1:3]; S = root + '/src'
order = []; rooms = {}
for line in open(manifest):
    if line.startswith('room '):
        a, b = line[5:].split('#')[0].split('='); order.append(a.strip()); rooms[a.strip()] = b.split()
t = open(S + '/CMakeLists.txt').read()
libs = collections.defaultdict(list)
for k in re.finditer(r'^room\(([^)]*)\)', t, re.M):
    w = k[1].split(); name = w[0]; mode = None
    for x in w[1:]:
        if x in ('BELOW', 'LIBRARIES'): mode = x
        elif mode == 'LIBRARIES': libs[name].append(x)
old2new = {o: n for n, os_ in rooms.items() for o in os_}
below = {}
gen = lambda d: 'messages' if d == 'sagbend/v1' else 'foxglove_messages' if d in ('foxglove', 'google/protobuf') else d
for r in order:
    used = set()
    for p in glob.glob(f'{S}/{r}/*.[ch]'):
        for inc in re.findall(r'^#[ \t]*include[ \t]*"([^"]+)"', open(p).read(), re.M):
            d = gen(os.path.dirname(inc))
            if d != r: used.add(d)
    below[r] = used
done = []; state = {}
def go(r, path=()):
    if state.get(r) == 2: return
    if state.get(r) == 1: print('CIRCLE', path[path.index(r):] + (r,)); return
    state[r] = 1
    for b in sorted(below.get(r, ()), key=lambda x: order.index(x) if x in order else 0):
        if b in order: go(b, path + (r,))
    state[r] = 2; done.append(r)
for r in order: go(r)
pos = {r: i for i, r in enumerate(done)}
out = {}
for r in done:
    l = []
    for o in rooms[r]:
        for x in libs.get(o, []):
            x2 = '_'.join(old2new.get(x.replace('_', '/', 1), x).split('/')) if x.startswith('verify_') else x
            if x.startswith('verify_'): x2 = old2new[x.replace('_', '/', 1)].replace('/', '_')
            if x2 not in l: l.append(x2)
    b = sorted((x for x in below[r] if x in pos), key=lambda x: -pos[x]) + sorted(x for x in below[r] if x not in pos)
    out[r] = f"room({r}" + (' BELOW ' + ' '.join(b) if b else '') + (' LIBRARIES ' + ' '.join(l) if l else '') + ')'
import textwrap
for r in done: print('\n  '.join(textwrap.wrap(out[r], 138, break_long_words=False, break_on_hyphens=False)))
