import { hash } from 'node:crypto'
import { Html, html } from '../../../../kernel/http/index.ts'
import type { Chapter } from '../openapi-view.ts'
import { pageScript } from './page-script.ts'
import { style } from './style.ts'

const mark = html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 3h8v6h2V3h8v18h-8v-6h-2v6H3z"/></svg>`

/** Allows only the script of the pages, which may send requests to this service only. */
export const referenceHeaders = () => ({
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    `script-src '${pageScript().integrity}'`,
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
})

/** Maximum length of a search query, in characters. */
export const queryLengthMax = 200

/** The navigation of a page: the chapters, and the anchors of the current page. */
export interface PageNavigation {
  chapters: Chapter[]
  /** Name of the page; empty for the first one. */
  slug: string
  /** Anchors of the current page. */
  anchors: string[]
  /** The search query. */
  query?: string
}

/** Renders a page of the API docs around its content. */
export function layout(title: string, content: Html, page: PageNavigation): string {
  const links = navigation(page)
  const script = pageScript()
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Mortise API</title>
<style>${new Html(style)}</style>
<script type="module" src="/docs/assets/${script.name}" integrity="${script.integrity}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<div class="frame">
<header class="side">
<a class="brand" href="/docs">${mark}<span>Mortise API</span></a>
<form role="search" action="/docs" method="get">
<label><span>Search the documentation</span><input type="search" name="q" value="${page.query ?? ''}" maxlength="${queryLengthMax}" autocomplete="off"></label>
<button type="submit">Search</button>
</form>
<nav aria-label="Chapters">${links}</nav>
<details class="menu"><summary>Chapters</summary><nav aria-label="Chapters">${links}</nav></details>
</header>
<main id="content">
${content}
</main>
</div>
</body>
</html>
`.text
}

function navigation({ chapters, slug, anchors }: PageNavigation): Html {
  const pages = [
    { slug: '', name: 'All endpoints' },
    { slug: 'guides', name: 'Guides' },
    { slug: 'providers', name: 'Providers' },
    ...chapters,
    { slug: 'resources', name: 'Resources and schemas' },
    { slug: 'problems', name: 'Problems' },
  ]
  return html`<ul>${pages.map((page) => {
    const isHere = page.slug === slug
    const href = page.slug === '' ? '/docs' : `/docs/${page.slug}`
    return html`<li><a href="${href}"${isHere && html` aria-current="page"`}>${page.name}</a>${
      isHere &&
      anchors.length > 0 &&
      html`<ul>${anchors.map((anchor) => html`<li><a href="#${anchor}">${anchor}</a></li>`)}</ul>`
    }</li>
`
  })}</ul>`
}
