import collections, glob, os, re, statistics, subprocess, sys
root, build = sys.argv[1:3]
src = root + '/src'
files = [f for f in glob.glob(src + '/**/*.[ch]', recursive=True)]
n = {f: sum(1 for _ in open(f)) for f in files}
print('files', len(files), 'median', statistics.median(n.values()), '<60', round(100*sum(v < 60 for v in n.values())/len(n), 1), '%', 'lines', sum(n.values()), '>600', sum(v>600 for v in n.values()))
room = lambda f: os.path.relpath(os.path.dirname(f), src)
print('folders with code', len({room(f) for f in files}))
heads = [f for f in files if f.endswith('.h')]
cross = set()
for f in files:
    for inc in re.findall(r'^#include "([^"]+)"', open(f).read(), re.M):
        p = src + '/' + inc
        if p in n and room(p) != room(f): cross.add(p)
print('headers', len(heads), 'crossing', len(cross))
# objects
defs = {}; refs = collections.defaultdict(set)
for o in glob.glob(build + '/src/CMakeFiles/*.dir/**/*.o', recursive=True):
    m = re.search(r'CMakeFiles/[^/]+\.dir/(.*)\.o$', o)
    name = m.group(1)
    for line in subprocess.run(['nm', o], capture_output=True, text=True).stdout.splitlines():
        t, s = line.split()[-2:]
        if t == 'T': defs[s] = name
        elif t == 'U': refs[name].add(s)
rm = os.path.dirname
users = collections.defaultdict(set)
for f, ss in refs.items():
    for s in ss: users[s].add(f)
exp = {s: f for s, f in defs.items() if os.path.exists(src + '/' + f)}
used = [s for s, f in exp.items() if any(rm(u) != rm(f) for u in users[s])]
print('exported functions', len(exp), 'used outside', len(used), round(100*len(used)/max(1, len(exp))), '%')
# circles
g = collections.defaultdict(set)
for f, ss in refs.items():
    for s in ss:
        if s in exp and exp[s] != f: g[f].add(exp[s])
sys.setrecursionlimit(10000)
idx = {}; low = {}; st = []; on = set(); out = []
def sc(v):
    idx[v] = low[v] = len(idx); st.append(v); on.add(v)
    for w in g[v]:
        if w not in idx: sc(w); low[v] = min(low[v], low[w])
        elif w in on: low[v] = min(low[v], idx[w])
    if low[v] == idx[v]:
        c = []
        while True:
            w = st.pop(); on.discard(w); c.append(w)
            if w == v: break
        if len(c) > 1: out.append(c)
for v in list(g):
    if v not in idx: sc(v)
print('circles', len(out), 'largest', max(map(len, out), default=0), 'inside one room', sum(len({rm(f) for f in c}) == 1 for c in out))
if '-v' in sys.argv:
    for c in sorted(out, key=len, reverse=True)[:12]: print(len(c), sorted(c)[:50])
    per = collections.Counter(rm(f) for f in exp.values()); pu = collections.Counter(rm(exp[s]) for s in used)
    for r, k in per.most_common(): print(f'{r:20} {k:5} {pu[r]:5} {100*pu[r]//k}%')
