/** The whole look of the reference: no file, no font, no picture from anywhere. */
export const style = `
:root{color-scheme:light dark;--ground:#f3f4f1;--card:#fff;--text:#1d2421;--quiet:#55605b;--line:#d5dad6;--code:#eceeeb;--accent:#1c6b50;--get:#17613f;--post:#1d4f91;--put:#7a4a00;--patch:#6b4a00;--delete:#9b231b}
@media(prefers-color-scheme:dark){:root{--ground:#121614;--card:#1a201d;--text:#e7ece9;--quiet:#a2aea9;--line:#333d38;--code:#242c28;--accent:#5cc79d;--get:#6fd1a4;--post:#8fbcff;--put:#f0b765;--patch:#e8c25f;--delete:#ffaea6}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--ground);color:var(--text);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
a{color:var(--accent);text-underline-offset:.15em}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:.2rem}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:1rem;background:var(--card);padding:.5rem 1rem}
.frame{display:grid;grid-template-columns:16rem minmax(0,1fr);max-width:82rem;margin:0 auto}
.side{position:sticky;top:0;height:100vh;overflow-y:auto;padding:1.5rem 1rem 2rem 1.5rem;border-right:1px solid var(--line);font-size:.94rem}
.side ul{list-style:none;margin:0;padding:0}
.side li a{display:block;padding:.22rem .5rem;border-radius:.35rem;color:inherit;text-decoration:none}
.side li a:hover{background:var(--code)}
.side a[aria-current]{background:var(--code);font-weight:650}
.side ul ul{margin:.15rem 0 .5rem .5rem;padding-left:.4rem;border-left:1px solid var(--line);font-size:.88rem}
.side ul ul a{overflow-wrap:anywhere}
.brand{display:flex;align-items:center;gap:.55rem;margin:0 0 1rem .5rem;font-weight:650;color:inherit;text-decoration:none}
.brand svg{width:1.4rem;height:1.4rem;fill:var(--accent)}
.menu{display:none}
main{padding:2rem 2.5rem 6rem;min-width:0}
h1{margin:0 0 .5rem;font-size:1.75rem;line-height:1.2;letter-spacing:-.02em}
h2{margin:0;font-size:1.2rem;line-height:1.35;overflow-wrap:anywhere}
h3{margin:1.4rem 0 .4rem;font-size:.95rem}
p{margin:.5rem 0}
.lead{color:var(--quiet);max-width:46rem}
section{margin:1.5rem 0;padding:1.4rem 1.6rem;background:var(--card);border:1px solid var(--line);border-radius:.8rem}
section:target{border-color:var(--accent)}
h2 a{color:inherit;text-decoration:none}
h2 a:hover{text-decoration:underline}
.call{display:flex;gap:.6rem;align-items:baseline;margin:.5rem 0;overflow-wrap:anywhere}
code,pre{font:.88em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{background:var(--code);padding:.1em .3em;border-radius:.25em;overflow-wrap:anywhere}
.call code{background:none;padding:0;font-size:.92rem}
pre{margin:.4rem 0;padding:.8rem 1rem;background:var(--code);border-radius:.5rem;overflow-x:auto;max-height:28rem}
pre code{background:none;padding:0;font-size:1em;overflow-wrap:normal}
.method{flex:none;white-space:nowrap;font:700 .78rem ui-monospace,Menlo,monospace;letter-spacing:.02em}
.get{color:var(--get)}.post{color:var(--post)}.put{color:var(--put)}.patch{color:var(--patch)}.delete{color:var(--delete)}
.tagged{font-size:.78rem;padding:.1rem .45rem;border:1px solid var(--line);border-radius:1rem;color:var(--quiet);white-space:nowrap;font-weight:400}
.fields{list-style:none;margin:.3rem 0;padding:0}
.fields>li{padding:.5rem 0;border-top:1px solid var(--line)}
.fields>li:first-child{border-top:0}
.fields .fields{margin-left:.4rem;padding-left:.9rem;border-left:2px solid var(--line)}
.type,small{color:var(--quiet);font-size:.88rem}
.required{color:var(--delete);font-size:.8rem}
.deprecated{color:var(--put);font-size:.8rem}
summary{cursor:pointer;color:var(--quiet);font-size:.9rem;padding:.15rem 0}
summary:hover{color:var(--text)}
.answers{margin:0;padding:0;list-style:none}
.answers>li{padding:.5rem 0;border-top:1px solid var(--line)}
.answers>li:first-child{border-top:0}
.status{font-weight:650;margin-right:.4rem}
.copying{position:relative}
.copying pre{padding-right:5rem}
.copying pre code{white-space:pre-wrap;overflow-wrap:anywhere}
.lines pre code{white-space:pre}
.samples>details{border:1px solid var(--line);border-bottom:0}
.samples>details:first-child{border-radius:.5rem .5rem 0 0}
.samples>details:last-child{border-radius:0 0 .5rem .5rem;border-bottom:1px solid var(--line)}
.samples summary{padding:.4rem .8rem}
.samples>details[open]>summary{color:var(--text);font-weight:600}
.samples pre{margin:0;border-radius:0}
.copy{position:absolute;top:.5rem;right:.5rem;padding:.2rem .6rem;border:1px solid var(--line);border-radius:.35rem;background:var(--card);color:var(--text);font:inherit;font-size:.8rem;cursor:pointer}
input[type=search]{width:100%;max-width:34rem;padding:.65rem .8rem;border:1px solid var(--quiet);border-radius:.5rem;background:var(--card);color:inherit;font:inherit}
.list{list-style:none;margin:.6rem 0 0;padding:0}
.list li{display:grid;grid-template-columns:3.8rem minmax(0,1fr);gap:.1rem .5rem;padding:.35rem 0;border-top:1px solid var(--line)}
.list li:first-child{border-top:0}
.list a{font-weight:600;text-decoration:none;overflow-wrap:anywhere}
.list a:hover{text-decoration:underline}
.plain li{grid-template-columns:minmax(0,1fr)}
.list li>span:last-child{grid-column:-2;overflow-wrap:anywhere;color:var(--quiet);font-size:.92rem}
.providers li{grid-template-columns:minmax(0,15rem) minmax(0,1fr) minmax(0,15rem)}
.providers li>span:last-child{grid-column:auto}
.crumb{margin:0 0 .4rem;font-size:.94rem}
.facts{display:grid;grid-template-columns:minmax(8rem,max-content) minmax(0,1fr);gap:.45rem 1.4rem;margin:.7rem 0}
.facts dt{color:var(--quiet)}
.facts dd{margin:0;overflow-wrap:anywhere}
table{width:100%;margin:1rem 0;border-collapse:collapse}
th,td{padding:.45rem .8rem .45rem 0;border-top:1px solid var(--line);text-align:left;font-weight:400}
thead th{border-top:0;color:var(--quiet);font-size:.88rem}
.yes{color:var(--get)}
#scopes table code{overflow-wrap:anywhere}
@media(max-width:30rem){#scopes th,#scopes td{padding-right:.2rem;font-size:.8rem}}
.names{line-height:2}
h4{margin:1.1rem 0 .3rem;font-size:.92rem}
input[data-filter]{margin:1rem 0 0}
[role=search]{display:flex;flex-wrap:wrap;gap:.4rem;margin:0 0 1rem .5rem}
[role=search] label{flex:1 1 5rem;min-width:0}
[role=search] label span{display:block;white-space:nowrap;margin-bottom:.2rem;color:var(--quiet);font-size:.85rem}
[role=search] input{padding:.4rem .55rem}
[role=search] button{align-self:flex-end;padding:.4rem .7rem;border:1px solid var(--quiet);border-radius:.5rem;background:var(--card);color:var(--text);font:inherit;cursor:pointer}
.results{list-style:none;margin:1rem 0 0;padding:0}
.results>li{padding:.8rem 0;border-top:1px solid var(--line)}
.results h2{font-size:1.02rem}
.results h2 a{color:var(--accent);text-decoration:underline}
.results p{max-width:46rem;margin:.2rem 0 0;color:var(--quiet)}
mark{background:none;color:var(--text);font-weight:650}
article{max-width:48rem}
article h2{margin:2rem 0 .4rem}
article table{display:block;overflow-x:auto}
article h3 a,article h4 a{color:inherit;text-decoration:none}
details.try{margin:.8rem 0 0;border:1px solid var(--line);border-radius:.5rem;padding:.4rem .8rem}
details.try>summary{font-weight:600}
.try form{margin:.4rem 0;max-width:46rem}
.try label{display:block;margin:.7rem 0}
.try label>span{display:block;margin-bottom:.2rem;font-size:.9rem}
.try input:not([type=file]),.try select,.try textarea{width:100%;padding:.45rem .6rem;border:1px solid var(--quiet);border-radius:.4rem;background:var(--card);color:inherit;font:inherit}
.try input[type=file]{max-width:100%;color:inherit;font:inherit}
.try textarea,.try input:not([type=file]){font:.88rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.try .secret{-webkit-text-security:disc}
.try button{padding:.45rem .9rem;border:1px solid var(--quiet);border-radius:.4rem;background:var(--card);color:var(--text);font:inherit;cursor:pointer}
.try button[type=submit]{background:var(--accent);border-color:var(--accent);color:var(--card);font-weight:600}
.try .outcome{font-weight:600}
[hidden]{display:none!important}
@media(max-width:54rem){.frame{display:block}.side{position:static;height:auto;border-right:0;border-bottom:1px solid var(--line);padding:1rem}.side>nav{display:none}.menu{display:block}.brand{margin:0 0 .5rem}main{padding:1.25rem 1rem 4rem}section{padding:1.1rem 1rem}.facts{display:block}.facts dd{margin:0 0 .6rem}.providers li{grid-template-columns:minmax(0,1fr)}}
@media print{.side{display:none}.frame{display:block}}
`.replaceAll('\n', '')
