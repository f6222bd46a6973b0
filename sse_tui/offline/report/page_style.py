"""The style of the HTML report: system fonts, one column, colours that keep their contrast in light and dark."""

STYLE = """
:root{--bg:#fff;--fg:#1d2126;--dim:#5b6570;--line:#dfe3e8;--card:#f6f7f9;--read:#5b7fa6;--event:#8a94a0;--token:#2f8f5b;
--beat:#9a7fc0;--gap:#f3d9a8;--error:#b3261e;--warning:#8a5a00;--info:#3b5f8a;--fine:#23724a}
@media (prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e4e7ea;--dim:#98a2ad;--line:#2d333a;--card:#1d2126;
--read:#7fa6d1;--event:#717b86;--token:#5cc48c;--beat:#b79be0;--gap:#4a3a17;--error:#ff8a80;--warning:#f0b955;--info:#8db8ea;--fine:#6fd0a0}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1rem}
h1{font-size:1.25rem;margin:.2rem 0;overflow-wrap:anywhere}
h2{font-size:1.05rem;margin:0 0 .5rem}
h3{font-size:.95rem;margin:.7rem 0 .2rem;overflow-wrap:anywhere}
h3 small{font-weight:400;color:var(--dim);font-size:.85rem}
p{margin:.2rem 0;overflow-wrap:anywhere}
section{border-top:1px solid var(--line);padding:.8rem 0;margin-top:.8rem}
code,pre,dd{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.86rem}
pre{background:var(--card);border-radius:6px;padding:.6rem;margin:.4rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
pre.text{font-family:inherit;font-size:1rem}
.verdict{font-weight:600}
.verdict.error,.error h3 b,.fail b{color:var(--error)}
.verdict.warning,.warning h3 b{color:var(--warning)}
.verdict.fine,.pass b{color:var(--fine)}
.info h3 b{color:var(--info)}
.request code{color:var(--dim)}
dl{margin:0}
dl div{display:grid;grid-template-columns:minmax(8rem,14rem) 1fr;gap:.6rem;padding:.12rem 0}
dt{color:var(--dim);font-size:.9rem}
dd{margin:0;overflow-wrap:anywhere}
@media (max-width:32rem){dl div{grid-template-columns:1fr;gap:0;padding:.25rem 0}}
.checks{list-style:none;padding:0;margin:0}
.checks span,.place,.legend,footer,.note{color:var(--dim);font-size:.86rem}
article.finding{border-left:4px solid var(--info);background:var(--card);border-radius:0 6px 6px 0;padding:.5rem .8rem;
margin:.6rem 0}
article.finding h3{margin:0}
article.finding.error{border-color:var(--error)}
article.finding.warning{border-color:var(--warning)}
summary{cursor:pointer;font-weight:600}
svg.timeline{display:block;overflow:visible;margin:.2rem 0 .6rem}
svg text{font-size:11px;fill:var(--dim)}
svg .lane{font-size:10px}
svg .base{stroke:var(--line)}
svg rect.reads{fill:var(--read)}
svg rect.events{fill:var(--event)}
svg rect.tokens{fill:var(--token)}
svg rect.comments{fill:var(--beat)}
svg rect.gap{fill:var(--gap);opacity:.5}
svg text.gap{text-anchor:middle}
svg .fault line{stroke:var(--error);stroke-width:2}
svg .fault text,span.fault,svg .finding.error text{fill:var(--error);color:var(--error)}
svg .note line{stroke:var(--beat);stroke-dasharray:3 3}
svg .note text,span.note{fill:var(--beat);color:var(--beat)}
svg .close line{stroke:var(--dim)}
svg .finding.warning text,span.warning{fill:var(--warning);color:var(--warning)}
svg .finding.info text{fill:var(--info)}
@media (max-width:32rem){svg .minor{display:none}}
footer{border-top:1px solid var(--line);margin-top:1rem;padding-top:.6rem}
"""
