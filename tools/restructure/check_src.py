import json,subprocess,concurrent.futures as cf,sys
root=sys.argv[1]; part=sys.argv[2] if len(sys.argv)>2 else '/src/'
db=json.load(open(root+'/build/compile_commands.json'))
seen=set(); d2=[]
for d in db:
    if root+part in d['file'] and d['file'] not in seen: seen.add(d['file']); d2.append(d)
def one(d):
    c=d['command'].replace('ccache ','').replace(' -c ',' -fsyntax-only -c ')
    r=subprocess.run(c+' -fmax-errors=6',shell=True,cwd=d['directory'],capture_output=True,text=True)
    return d['file'],r.returncode,r.stderr
bad=0
with cf.ThreadPoolExecutor(3) as ex:
    for f,rc,e in ex.map(one,d2):
        if rc or 'warning' in e: bad+=1; print('##',f.split(root)[1]); print('\n'.join(l for l in e.splitlines() if 'error:' in l or 'warning:' in l)[:700])
print(bad,'of',len(d2))
