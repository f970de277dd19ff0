import { hash } from 'node:crypto'
import { Html, html } from './html.ts'
import { pageStyle } from './page-style.ts'

const styleHash = hash('sha256', pageStyle, 'base64')
/** A mortise and its tenon. */
const mark = html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 3h8v6h2V3h8v18h-8v-6h-2v6H3z"/></svg>`

/** The directive of a content security policy that lets the style of `htmlDocument` in, and no other. */
export const styleDirective = `style-src 'sha256-${styleHash}'`

/**
 * The frame that every page of ours has. Nothing is loaded from anywhere.
 *
 * @param options.brand whose page it is for the reader, in place of Mortise: the name of an application
 * @param options.tail put at the end of the body, outside the card
 */
export function htmlDocument(
  title: string,
  content: Html,
  { brand, tail }: { brand?: string | undefined; tail?: Html } = {},
): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · ${brand ?? 'Mortise'}</title>
<style>${new Html(pageStyle)}</style>
</head>
<body>
<header class="brand">${brand === undefined && mark}<span>${brand ?? 'Mortise'}</span></header>
<main>
<h1>${title}</h1>
${content}
</main>
${tail}</body>
</html>
`.text
}
