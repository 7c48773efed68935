#!/usr/bin/env python3
"""restructure.py ROOT move|merge MANIFEST: rooms become the rooms of the manifest.
move: each file goes to its new room, the largest piece of a merged file under the final name. merge: pieces go into it."""
import collections, glob, os, re, subprocess, sys, json
root, phase, manifest = sys.argv[1:4]
S = root + '/src'
rooms, order = {}, []           # new room -> list of old rooms; files: new room -> {file: [pieces]}
files = {}
rename = collections.defaultdict(dict)
for line in open(manifest):
    line = line.split('#')[0].strip()
    if not line: continue
    if line.startswith('room '):
        new, old = line[5:].split('=')
        room = new.strip(); rooms[room] = old.split(); files[room] = {}; order.append(room)
    else:
        f, ps = line.split(':'); files[room][f.strip()] = ps.split()
old2new = {o: n for n, os_ in rooms.items() for o in os_}
read = lambda p: open(p).read()
def write(p, t):
    os.makedirs(os.path.dirname(p), exist_ok=True); open(p, 'w').write(t)
lines = lambda p: read(p).count('\n')

def text_files():
    out = subprocess.run(['git', 'ls-files'], cwd=root, capture_output=True, text=True).stdout.split('\n')
    for f in out:
        if f and os.path.isfile(f'{root}/{f}') and not os.path.islink(f'{root}/{f}') and not f.endswith(('.png', '.mcap', '.gz', '.bin', '.nc', '.pdf', '.woff2', '.jpg')) and '/corpus' not in f and not f.startswith('docs/design') and f != 'CHANGELOG.md':
            try: yield f, read(f'{root}/{f}')
            except UnicodeDecodeError: pass

def find_piece(room, piece, ext):
    olds = rooms[room]
    if '/' in piece:
        if os.path.exists(f'{S}/{piece}{ext}'): return piece
    hits = [f'{o}/{piece}' for o in olds if os.path.exists(f'{S}/{o}/{piece}{ext}')]
    if len(hits) == 1: return hits[0]
    if len(hits) > 1: sys.exit(f'{room}: {piece}{ext} stands in {hits}')
    return None

def plan_c():
    """new .c path (no ext) -> old pieces"""
    plan = {}
    for room in order:
        seen = set()
        for f, ps in files[room].items():
            got = [find_piece(room, p, '.c') for p in ps]
            for p, g in zip(ps, got):
                if not g: print(f'{room}/{f}: no piece {p}.c')
            got = [g for g in got if g]
            if got: plan[f'{room}/{f}'] = got; seen |= set(got)
        for o in rooms[room]:
            for p in sorted(glob.glob(f'{S}/{o}/*.c')):
                q = p[len(S)+1:-2]
                if q not in seen and not q.endswith('/main'):
                    print(f'{room}: {q}.c stands in no file of the manifest'); plan.setdefault(f'{room}/{os.path.basename(q)}', []).append(q)
    return plan

INC = re.compile(r'^#[ \t]*include[ \t]*"([^"]+)"', re.M)
def headers_of(room): return sorted(p[len(S)+1:] for o in rooms[room] for p in glob.glob(f'{S}/{o}/*.h') if '#pragma once' in read(p))
def room_of(path):
    d = os.path.dirname(path)
    return old2new.get(d, d)
def plan_h():
    cross = set()
    for p in glob.glob(S + '/**/*.[ch]', recursive=True) + glob.glob(S + '/**/*.inc', recursive=True):
        q = p[len(S)+1:]
        for inc in INC.findall(read(p)):
            if os.path.exists(f'{S}/{inc}') and room_of(inc) != room_of(q): cross.add(inc)
    grow = True
    while grow:
        grow = False
        for h in list(cross):
            for inc in INC.findall(read(f'{S}/{h}')):
                if inc.endswith('.h') and os.path.exists(f'{S}/{inc}') and inc not in cross: cross.add(inc); grow = True
    plan = {}
    for room in order:
        hs = headers_of(room); base = os.path.basename(room)
        if room.endswith('/app'): base = room.split('/')[0]
        pub = [h for h in hs if h in cross and not h.endswith('.inc')]; inn = [h for h in hs if h not in cross]
        if pub: plan[f'{room}/{base}.h'] = pub
        if inn: plan[f'{room}/{base}_internal.h'] = inn
        if not pub and inn: plan[f'{room}/{base}.h'] = plan.pop(f'{room}/{base}_internal.h')
    return plan

def rewrite_includes(text, m):
    seen = set(); out = []
    depth_ok = True
    for line in text.split('\n'):
        k = re.match(r'^(#[ \t]*include[ \t]*")([^"]+)(".*)$', line)
        if k:
            new = m.get(k[2], k[2])
            if new.endswith('.h') and new in seen: continue
            seen.add(new); line = k[1] + new + k[3]
        out.append(line)
    return '\n'.join(out)

def apply_text(m, cmap_base):
    """m: old path below src -> new path. Rewrites includes everywhere and paths in all texts."""
    keys = sorted(m, key=len, reverse=True)
    pat = re.compile(r'((?<![\w-])src/|(?<=DIR\}/)|(?<![\w/-]))(' + '|'.join(map(re.escape, keys)) + r')(?![\w])')
    for f, t in list(text_files()):
        n = t
        if f.endswith(('.c', '.h', '.inc')): n = rewrite_includes(n, m)
        n = pat.sub(lambda k: (k[1] or '') + m[k[2]], n)
        if f.startswith('src/'):
            d = os.path.dirname(f[4:])
            n = re.sub(r'(?<![\w/"-])(\w+\.[ch])\b(?!")', lambda k: cmap_base.get((d, k[1]), k[1]), n)
        if n != t: write(f'{root}/{f}', n)

def git(*a): subprocess.run(['git', *a], cwd=root, check=True, stdout=subprocess.DEVNULL)

if phase == 'move':
    m = {}; final = {}
    pc, ph = plan_c(), plan_h()
    for new, ps in pc.items():
        big = max(ps, key=lambda p: lines(f'{S}/{p}.c'))
        for p in ps: final[p + '.c'] = new + '.c'
        m[big + '.c'] = new + '.c'
    for new, ps in ph.items():
        big = max(ps, key=lambda p: lines(f'{S}/{p}'))
        for p in ps: final[p] = new
        m[big] = new
    taken = set(m.values())
    for p, new in sorted(final.items()):
        if p in m: continue
        want = os.path.dirname(new) + '/' + os.path.basename(p)
        k = 0
        while want in taken:
            k += 1; stem, ext = os.path.splitext(os.path.basename(p))
            want = f"{os.path.dirname(new)}/{p.split('/')[-2]}_{stem}{'_' * (k - 1)}{ext}"
        m[p] = want; taken.add(want)
    # everything else of the old rooms
    for f in subprocess.run(['git', 'ls-files', 'src'], cwd=root, capture_output=True, text=True).stdout.split():
        q = f[4:]; d = os.path.dirname(q)
        if q in m or d not in old2new: continue
        m[q] = old2new[d] + '/' + os.path.basename(q)
    m = {a: b for a, b in m.items() if a != b}
    generated = {'trials/report/report_template.h': old2new['trials/report'] + '/report_template.h'}
    for f in list(m):
        os.makedirs(os.path.dirname(f'{S}/{m[f]}'), exist_ok=True)
    # two-step to avoid collisions
    for f in m: git('mv', f'src/{f}', f'src/{m[f]}.moving')
    for f in m: git('mv', f'src/{m[f]}.moving', f'src/{m[f]}')
    base = {}
    for a, b in m.items():
        if a.endswith(('.c', '.h')): base[(os.path.dirname(b), os.path.basename(a))] = os.path.basename(b)
    apply_text({**m, **generated}, base)
    merged = collections.defaultdict(list)
    for p, new in final.items(): merged[new].append(m.get(p, p))
    # order of pieces as in the manifest
    for new, ps in list(pc.items()): merged[new + '.c'] = [m.get(p + '.c', p + '.c') for p in ps]
    json.dump(merged, open('@HERE@/merge.json', 'w'), indent=1)
    json.dump(m, open('@HERE@/moved.json', 'w'), indent=1)
    print('files', len(merged), 'moved', len(m))
    sys.exit()

# merge
merged = json.load(open('@HERE@/merge.json'))
sys.path.insert(0, '@HERE@'); import renames
moved = json.load(open('@HERE@/moved.json')); back = {b: a for a, b in moved.items()}
table_files = {}

def is_once(inc): return not os.path.exists(f'{S}/{inc}') or '#pragma once' in read(f'{S}/{inc}')
def split(path):
    """head comment, feature macros, hoisted includes (local, system), body"""
    head, feats, loc, sysinc, body = [], [], [], [], []
    depth = 0; state = 'head'; prev_cont = False
    for line in read(path).split('\n'):
        s = line.strip()
        if s == '#pragma once': continue
        if re.match(r'#\s*if', s): depth += 1
        g0 = re.match(r'#define (_POSIX_C_SOURCE)\b', s)
        if depth == 0 and g0: continue
        k = re.match(r'#\s*include\s*"([^"]+\.h)"(.*)', s); y = re.match(r'#\s*include\s*(<[^>]+>.*)', s); g = re.match(r'#define (_GNU_SOURCE|_DEFAULT_SOURCE)\b(.*)', s)
        if depth == 0 and g: feats.append(line)
        elif depth == 0 and k and is_once(k[1]): loc.append((k[1], k[2])); state = 'body'
        elif depth == 0 and y: sysinc.append(y[1]); state = 'body'
        elif state == 'head' and (s.startswith('//') or not s): head.append(line)
        else: state = 'body'; body.append(line)
        if re.match(r'#\s*endif', s): depth -= 1
    strip = lambda l: '\n'.join(l).strip('\n')
    return strip(head), feats, loc, sysinc, strip(body)

def topo(ps):
    inc = {p: [i for i in INC.findall(read(f'{S}/{p}')) if i in ps and i != p] for p in ps}
    out, done = [], set()
    def go(p):
        if p in done: return
        done.add(p)
        for i in inc[p]: go(i)
        out.append(p)
    for p in ps: go(p)
    return out

m = {}
for new, ps in merged.items():
    for p in ps:
        if p != new: m[p] = new
def merge_into(new, ps):
    heads, feats, locs, syss, bodies = [], [], [], [], []
    for p in ps:
        h, f, l, y, b = split(f'{S}/{p}')
        o = back.get(p, p)
        for a, c in renames.EDITS.get(o, []):
            if a not in b: print('EDIT not found', o, a)
            b = b.replace(a, c)
        for fn in renames.DROP.get(o, []):
            k = re.search(rf'(?:^//[^\n]*\n)*^static [^\n;]*\b{fn}\([^;{{]*\{{\n.*?^\}}\n+', b, re.M | re.S)
            if k: b = b[:k.start()] + b[k.end():]
            else: print('DROP not found', o, fn)
        names = dict(renames.R.get(o, {}))
        for t in renames.TABLE:
            if p in table_files.get((new, t), ()): names[t] = renames.TABLE_NAMES.get((o, t), renames.stem(o) + '_' + t)
        for old, nn in names.items():
            if not re.search(rf'\b{old}\b', b): print('RENAME not found', o, old)
            b = re.sub(rf'(?<![\w".>]){old}\b(?!")', nn, b)
        for x in f:
            if x.split()[1] not in [q.split()[1] for q in feats]: feats.append(x)
        for x in l:
            t = (m.get(x[0], x[0]), x[1])
            if t[0] != new and t[0] not in [q[0] for q in locs]: locs.append(t)
        for x in y:
            if x.split('>')[0] not in [q.split('>')[0] for q in syss]: syss.append(x)
        heads.append(h); bodies.append(b)
    is_h = new.endswith('.h')
    room = os.path.dirname(new)
    own = [x for x in locs if os.path.dirname(x[0]) == room]; oth = sorted(x for x in locs if os.path.dirname(x[0]) != room)
    # Which feature macros hold wins: GNU contains DEFAULT
    if any('_GNU_SOURCE' in f for f in feats):
        notes = [f.split('//')[1].strip() for f in feats if '//' in f]
        feats = ['#define _GNU_SOURCE' + (' // ' + ', '.join(notes) if notes else '')]
    out = []
    if heads[0]: out.append(heads[0])
    if is_h: out.append('#pragma once\n')
    if feats: out.insert(0, '\n'.join(feats))
    if own: out.append('\n'.join(f'#include "{a}"{b}' for a, b in own) + '\n')
    if oth: out.append('\n'.join(f'#include "{a}"{b}' for a, b in oth) + '\n')
    if syss: out.append('\n'.join(f'#include {a}' for a in sorted(syss)) + '\n')
    out.append(bodies[0] + '\n')
    for h, b in zip(heads[1:], bodies[1:]):
        out.append('// ' + '-' * 60 + ('\n' + h + '\n' if h else ''))
        out.append(b + '\n')
    return '\n'.join(out)
for new, ps in merged.items():
    ps = [p for p in ps if os.path.exists(f'{S}/{p}')]
    if len(ps) < 2 or not new.endswith('.c'): continue
    defs = collections.defaultdict(set)
    for p in ps:
        out = subprocess.run(['ctags', '-x', '--c-kinds=fvdgste', f'{S}/{p}'], capture_output=True, text=True).stdout
        for l in out.splitlines(): defs[l.split()[0]].add(p)
    for k, v in defs.items():
        if len(v) > 1 and not (k in ('X', 'ROW') or k.startswith('__anon') or k.endswith('_SOURCE')):
            if k in renames.TABLE: table_files[new, k] = v
            elif sum(k not in renames.R.get(back.get(p, p), {}) and k not in renames.DROP.get(back.get(p, p), []) for p in v) > 1: print('collision', new, k, sorted(back.get(p, p) for p in v))
texts = {}
for new, ps in merged.items():
    ps = [p for p in ps if os.path.exists(f'{S}/{p}')]
    if len(ps) < 2: continue
    if new.endswith('.h'): ps = topo(ps)
    texts[new] = (merge_into(new, ps), ps)
for new, ps in merged.items():
    ps = [p for p in ps if os.path.exists(f'{S}/{p}')]
    if len(ps) == 1:
        t = n = read(f'{S}/{ps[0]}')
        for old, nn in renames.R.get(back.get(ps[0], ps[0]), {}).items(): n = re.sub(rf'(?<![\w".>]){old}\b(?!")', nn, n)
        if n != t: write(f'{S}/{ps[0]}', n)
for new, (t, ps) in texts.items():
    for p in ps:
        if p != new: git('rm', '-q', '-f', f'src/{p}')
    write(f'{S}/{new}', t)
base = {}
for a, b in m.items(): base[(os.path.dirname(b), os.path.basename(a))] = os.path.basename(b)
apply_text(m, base)
git('add', '-A')
