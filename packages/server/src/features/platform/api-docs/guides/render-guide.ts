import { Marked, type Token, type Tokens } from 'marked'
import { Html, html } from '../../../../kernel/http/index.ts'
import { resources } from '../resources.ts'

/** A part of a guide, from one heading to the next, for search. */
export interface GuideSection {
  /** Empty for the part before the first heading below the title. */
  anchor: string
  heading: string
  text: string
}

/** Renders a guide. HTML in the text is shown, not interpreted, and pictures are replaced by their description. */
export function renderGuide(markdown: string): { title: string; content: Html; sections: GuideSection[] } {
  const anchors = anchorsOf()
  const tokens = new Marked().lexer(markdown)
  const sections: GuideSection[] = []
  let title = ''
  for (const token of tokens) {
    if (token.type === 'heading') {
      const heading = plainText([token])
      const anchor = token.depth === 1 ? '' : anchors(heading)
      if (token.depth === 1) title = heading
      else Object.assign(token, { anchor })
      sections.push({ anchor, heading, text: '' })
    } else {
      const section = sections.at(-1)
      if (section !== undefined) section.text += `${plainText([token])} `
    }
  }
  return { title, content: new Html(renderer().parser(tokens)), sections }
}

function renderer(): Marked {
  const marked = new Marked()
  marked.use({
    renderer: {
      heading(token) {
        const id = (token as Tokens.Heading & { anchor?: string }).anchor
        const content = new Html(this.parser.parseInline(token.tokens))
        if (id === undefined) return html`<h1>${content}</h1>\n`.text
        const tag = new Html(`h${token.depth}`)
        return html`<${tag} id="${id}"><a href="#${id}">${content}</a></${tag}>\n`.text
      },
      link({ href, tokens }) {
        const target = targetOf(href)
        const content = new Html(this.parser.parseInline(tokens))
        return target === undefined ? content.text : html`<a href="${target}">${content}</a>`.text
      },
      code: ({ text }) => html`<pre tabindex="0"><code>${text}</code></pre>\n`.text,
      image: ({ text }) => html`${text}`.text,
      html: ({ text }) => (text.startsWith('<!--') ? '' : html`${text}`.text),
    },
  })
  return marked
}

/** Translates a link between files to the address of its page; undefined for files that are not served. */
export function targetOf(href: string): string | undefined {
  if (/^(https?:|#)/.test(href)) return href
  const [, folder = '', name = '', hash = ''] = /^(?:(\w+)\/)?([\w.-]+)\.md(#.*)?$/.exec(href) ?? []
  if (name === '' || name === 'README') return undefined
  switch (folder) {
    case '':
      return `/docs/guides/${name}${hash}`
    case 'problems':
      return `/problems/${name}`
    case 'events':
      return `/docs/webhooks#${name}`
    case 'resources': {
      const resource = Object.keys(resources).find((one) => one.toLowerCase() === name.replaceAll('-', ''))
      return resource === undefined ? undefined : `/docs/resources#${resource}`
    }
    default:
      return undefined
  }
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if ('tokens' in token && token.tokens) return plainText(token.tokens)
      if (token.type === 'list') return (token as Tokens.List).items.map(({ tokens }) => plainText(tokens)).join(' ')
      if (token.type === 'table') {
        const { header, rows } = token as Tokens.Table
        return [header, ...rows].flatMap((row) => row.map((cell) => plainText(cell.tokens))).join(' ')
      }
      return 'text' in token && typeof token.text === 'string' ? token.text : ' '
    })
    .join('')
}

/** Returns a function that makes the anchors of one page as code hosts do, so that links in the files work here too. */
function anchorsOf(): (heading: string) => string {
  const used = new Map<string, number>()
  return (heading) => {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
    const count = used.get(slug) ?? 0
    used.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  }
}
