import type { ProblemDeclaration } from '../../kernel/http/index.ts'

/** The page that `href` of a problem leads to. Loads nothing from elsewhere. */
export function problemPage({ code, status, title, detail, remedy, retryable, subsystem }: ProblemDeclaration): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Mortise</title>
<style>body{font:1rem/1.6 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem;color:#1c2430;background:#fff}code{background:#eef1f5;padding:.1em .3em;border-radius:.2em}dt{font-weight:600;margin-top:1rem}dd{margin:0}@media(prefers-color-scheme:dark){body{color:#e6e9ee;background:#14181e}code{background:#262c36}}</style>
<h1>${title}</h1>
<p>${withCode(detail)}</p>
<dl>
<dt>What to do</dt><dd>${withCode(remedy ?? 'Read <code>detail</code>, <code>causes</code> and <code>issues</code> of the answer: they say what is wrong.')}</dd>
<dt>Code</dt><dd><code>${code}</code> in <code>context.code</code>, HTTP status ${status}</dd>
<dt>Same request again</dt><dd>${retryable ? 'may succeed later.' : 'fails again until something is changed.'}</dd>
<dt>Answered by</dt><dd>${subsystem}</dd>
</dl>
</html>
`
}

function withCode(text: string): string {
  return text.replace(/`([^`]+)`/g, '<code>$1</code>')
}
