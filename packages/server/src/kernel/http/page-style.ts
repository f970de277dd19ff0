/** The whole look of the pages: no file, no font, no picture from anywhere. */
export const pageStyle = `
:root{color-scheme:light dark;--ground:#f3f4f1;--card:#fff;--text:#1d2421;--quiet:#5b6661;--line:#d5dad6;--field:#fff;--edge:#7b8680;--accent:#1c6b50;--on-accent:#fff;--accent-hover:#155540;--bad:#a3271f;--bad-ground:#fdf0ee}
@media(prefers-color-scheme:dark){:root{--ground:#121614;--card:#1a201d;--text:#e7ece9;--quiet:#9aa7a1;--line:#333d38;--field:#141916;--edge:#74827b;--accent:#5cc79d;--on-accent:#0c1c15;--accent-hover:#7ad6b2;--bad:#ffaea6;--bad-ground:#35201e}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;align-content:center;justify-items:center;padding:2rem 1rem;background:var(--ground);color:var(--text);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
.brand{display:flex;align-items:center;gap:.6rem;margin:0 0 1.25rem;font-weight:650;letter-spacing:-.01em}
.brand svg{width:1.6rem;height:1.6rem;fill:var(--accent)}
main{width:100%;max-width:25rem;background:var(--card);border:1px solid var(--line);border-radius:.9rem;padding:2rem;box-shadow:0 1px 2px rgb(0 0 0/.04),0 12px 32px rgb(0 0 0/.06)}
h1{margin:0 0 .35rem;font-size:1.35rem;line-height:1.25;letter-spacing:-.015em;text-wrap:balance}
p{margin:0 0 1rem;color:var(--quiet);overflow-wrap:anywhere}
p strong{color:var(--text);font-weight:600}
form{margin:1.4rem 0 0}
label{display:block;margin:0 0 .3rem;font-size:.9rem;font-weight:600}
.hint{display:block;margin:.3rem 0 0;font-size:.85rem;color:var(--quiet)}
input:not([type=hidden]),select,textarea{width:100%;padding:.62rem .75rem;border:1px solid var(--edge);border-radius:.5rem;background:var(--field);color:inherit;font:inherit}
textarea{resize:vertical;font:.9rem/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}
[aria-invalid]{border-color:var(--bad)!important}
.fault{display:block;margin:.3rem 0 0;font-size:.85rem;color:var(--bad)}
.optional{color:var(--quiet);font-weight:400}
.hint a{color:inherit}
.field{margin:0 0 1.1rem}
button,.button{display:block;width:100%;padding:.68rem 1rem;border:1px solid var(--accent);border-radius:.5rem;background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
button:hover,.button:hover{background:var(--accent-hover);border-color:var(--accent-hover)}
form~.second+.second{margin-top:.75rem}
.second{background:transparent;color:var(--text);border-color:var(--edge)}
.second:hover{background:var(--ground);border-color:var(--quiet)}
button+button,form+form,form+.button,.button+form,.button+.button{margin-top:.75rem}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.alert{margin:1rem 0 0;padding:.7rem .85rem;border-radius:.5rem;background:var(--bad-ground);color:var(--bad);font-size:.95rem}
.or{display:flex;align-items:center;gap:.75rem;margin:1.25rem 0;color:var(--quiet);font-size:.85rem}
.or::before,.or::after{content:"";flex:1;border-top:1px solid var(--line)}
ul{margin:0 0 1rem;padding:0 0 0 1.1rem;font-size:.95rem}
li{margin:0 0 .35rem}
fieldset{margin:0 0 1.1rem;padding:0;border:0}
legend{margin:0 0 .5rem;padding:0;font-size:.9rem;font-weight:600}
.choice{display:grid;grid-template-columns:auto 1fr;column-gap:.7rem;align-items:center;margin:0 0 .6rem;padding:.75rem .85rem;border:1px solid var(--edge);border-radius:.5rem;cursor:pointer}
.choice:has(:checked){border-color:var(--accent);box-shadow:inset 0 0 0 1px var(--accent)}
.choice .hint{grid-column:2;margin:.1rem 0 0;font-weight:400}
input[type=radio]{width:1.05rem;height:1.05rem;margin:0;padding:0;accent-color:var(--accent)}
p a{color:var(--accent)}
.aside{margin:1rem 0 0;font-size:.9rem}
code{font:.9em ui-monospace,SFMono-Regular,Menlo,monospace;color:var(--text)}
footer{margin:1.25rem 0 0;font-size:.85rem;color:var(--quiet)}
`.replaceAll('\n', '')
