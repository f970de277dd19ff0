import { Lexer, type Token } from 'marked'

/** What a page is about. */
export interface Document {
  title: string
  /** Its first sentence; empty if it has no paragraph. */
  description: string
}

const charactersMax = 200
/** Of a page, title and first paragraph are in this part. */
const beginning = 4_000

/**
 * Returns the title and the first sentence of a Markdown page. Only these two are parsed: parsing the beginning of all
 * pages would block other requests for half a second.
 */
export function describeDocument(markdown: string): Document {
  const blocks = markdown
    .slice(0, beginning)
    .split(/\n[ \t]*\n/)
    .map((block) => block.trim())
  const title = blocks.find((block) => block.startsWith('# '))?.split('\n')[0] ?? ''
  const paragraph = blocks.find((block) => /^[\p{L}\p{N}`[*{/(]/u.test(block) && !isList(block)) ?? ''
  return { title: words(title.slice('# '.length)), description: firstSentence(words(paragraph)) }
}

const isList = (block: string) => /^(?:\*|\d+[.)]) |^```/.test(block)

function firstSentence(text: string): string {
  if (text === '') return ''
  const end = text.search(/[.:](\s|$)/)
  const sentence = end < 0 ? text : text.slice(0, end)
  return sentence.length > charactersMax ? `${sentence.slice(0, charactersMax).toWellFormed()}…` : `${sentence}.`
}

/** The text without marks, links and line breaks. */
function words(markdown: string): string {
  return plainText(Lexer.lexInline(markdown)).replaceAll(/\s+/g, ' ')
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if ('tokens' in token && token.tokens) return plainText(token.tokens)
      return 'text' in token && typeof token.text === 'string' ? token.text : ' '
    })
    .join('')
}
