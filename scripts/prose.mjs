/** Finds the prose that people read: paragraphs of Markdown, and sentences in the strings of TypeScript. */

/** Stands for code or a value in the middle of a sentence; it counts as one word. */
const value = '…'

/**
 * Returns the paragraphs of a Markdown text with their first line: without code, URLs, HTML, what a script writes
 * between `<!-- name -->` and `<!-- /name -->`, and the quoted names of tests. A heading, a list item and a table cell
 * are a paragraph each.
 */
export function markdownProse(text) {
  const lines = blank(text, /^ *(```|~~~).*?^ *\1/gms, /<!-- (\w+) -->.*?<!-- \/\1 -->|<!--.*?-->/gs).split('\n')
  const paragraphs = []
  let open
  const close = () => {
    if (open !== undefined) paragraphs.push(open)
    open = undefined
  }
  for (const [index, line] of lines.entries()) {
    const row = line.trim()
    if (row === '' || /^[-=|: ]+$/.test(row)) close()
    else if (row.startsWith('|')) {
      close()
      for (const cell of withoutCode(row).split(/(?<!\\)\|/)) paragraphs.push({ line: index + 1, text: cell })
    } else {
      if (/^(#+|[-*+]|\d+\.|>) /.test(row)) close()
      open ??= { line: index + 1, text: '' }
      open.text += `${row.replace(/^(#+|[-*+]|\d+\.|>) /, '')}\n`
      if (row.startsWith('#')) close()
    }
  }
  close()
  return paragraphs.map(({ line, text }) => ({ line, text: plain(text) }))
}

/** Replaces what matches by blanks, line by line, so that the lines keep their numbers. */
function blank(text, ...patterns) {
  return patterns.reduce((rest, pattern) => rest.replace(pattern, (found) => found.replace(/[^\n]/g, '')), text)
}

function withoutCode(text) {
  return text.replace(/(`+)(?!`).*?[^`]\1(?!`)/gs, (found) => value + found.replace(/[^\n]/g, ''))
}

function plain(text) {
  return withoutCode(text)
    .replace(/(?<=…: )“[^”]*”(?:,? (?:and )?“[^”]*”)*/g, value)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/https?:\/\/[^\s)>]+/g, value)
    .replace(/<[^>]*>/g, '')
    .replace(/[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}/g, '')
}

const blockTags =
  /<\/?(p|h\d|li|ul|ol|dl|dt|dd|div|section|main|header|footer|form|label|button|td|th|tr|title|br)\b[^>]*>/g

/**
 * Returns the strings of a TypeScript source that read like prose: four words or more, or fewer after a key or a call
 * whose text is always for people. Comments, code and SQL are left out.
 */
export function sourceProse(source) {
  return scan(source)
    .strings.filter(({ text, before }) => isProse(text, before))
    .map(({ line, text }) => ({
      line,
      text: withoutCode(
        text.replace(/<style>.*?<\/style>|<script.*?<\/script>/gs, (found) => found.replace(/[^\n]/g, '')),
      )
        .replace(blockTags, ' ¶ ')
        .replace(/<[^>]*>/g, '')
        .replace(/https?:\/\/[^\s)>]+|(?<!\w)--?[a-z][\w-]*/g, value),
    }))
}

const forPeople =
  /(\b(title|detail|remedy|description|summary|heading|label|help|text|message|meaning|is|life)\??:|\blog(ger)?\??\.(info|warn|error|fatal)\(.*|Error\()\s*$/s
const sql =
  /^\s*(select|insert into|update \S+ (\w+ )?set|delete from|create|alter|drop|with \w+ |from |where |and |or |order by|group by|left join|join|grant|revoke|values|on conflict|set |returning|cross join|begin|do \$)|\bis (not )?null\b|\bfor update\b| = \$\d/i

function isProse(text, before) {
  const words = text.match(/(?<![\w/.-])[A-Za-z][a-z’']*(?![\w/-])/g)?.length ?? 0
  return (
    words >= (forPeople.test(before) ? 2 : 4) &&
    !(/^[a-z\s]/.test(text) && sql.test(text)) &&
    !/\bsql(<[^'"`]*>)?$/.test(before)
  )
}

const comment = /\/\/.*|\/\*[\s\S]*?\*\//
const string = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/
const regularExpression = /(?<=(?:[(,=:[!&|?{};+]|return|=>)\s*)\/(?![*/])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//
const token = new RegExp([comment, string, regularExpression, /[`{}]/].map(({ source }) => source).join('|'), 'g')

/**
 * Returns the comments of a TypeScript source as paragraphs. A tag such as `@throws` begins a new paragraph. Successive
 * lines of `//` are one.
 */
export function commentProse(source) {
  const paragraphs = []
  for (const { line, text } of scan(source).comments) {
    const last = paragraphs.at(-1)
    const rows = text.replace(/\*\/$/, '').split('\n')
    const isLine = text.startsWith('//')
    if (isLine && last?.isLine && last.end === line - 1) {
      last.text += `\n${row(text)}`
      last.end = line
      continue
    }
    let open
    for (const [at, content] of rows.entries()) {
      const words = row(content)
      if (words === '' || words.startsWith('@')) open = undefined
      if (words === '') continue
      if (open === undefined) {
        open = { line: line + at, end: line + at, text: words, isLine }
        paragraphs.push(open)
      } else open.text += `\n${words}`
    }
  }
  return paragraphs.map(({ line, text }) => ({ line, text: plain(text) }))
}

/** Returns a line of a comment without its signs. */
function row(line) {
  return line.replace(/^\s*(\/\*\*?|\/\/|\*)/, '').trim()
}

/** Returns the comments, and every string and template of a TypeScript source with up to 120 characters before it. */
function scan(source) {
  const found = []
  const comments = []
  const tokens = new RegExp(token)
  // The templates that are open: `depth` counts the braces inside `${}`.
  const templates = []
  let line = 1
  let counted = 0
  const lineOf = (index) => {
    for (; counted < index; counted++) if (source[counted] === '\n') line++
    return line
  }
  const add = (start, end, text) => {
    const last = found.at(-1)
    if (last !== undefined && /^\s*\+\s*$/.test(source.slice(last.end, start))) {
      last.text += text
      last.end = end
    } else found.push({ line: lineOf(start), end, text, before: source.slice(Math.max(0, start - 120), start) })
  }
  const readTemplate = () => {
    const open = templates.at(-1)
    const piece = /(?:[^`\\$]|\\.|\$(?!\{))*/gsy
    piece.lastIndex = tokens.lastIndex
    open.text += unescaped(piece.exec(source)[0])
    const end = piece.lastIndex
    if (source[end] === '$') {
      open.text += value
      open.depth = 0
      tokens.lastIndex = end + 2
      return
    }
    templates.pop()
    tokens.lastIndex = end + 1
    const { start, text } = open
    add(start, end + 1, text)
  }
  for (let match = tokens.exec(source); match !== null; match = tokens.exec(source)) {
    const [text] = match
    const open = templates.at(-1)
    if (text === '`') {
      templates.push({ start: match.index, text: '', depth: 0 })
      readTemplate()
    } else if (text === '{' && open !== undefined) open.depth++
    else if (text === '}' && open !== undefined) {
      if (open.depth === 0) readTemplate()
      else open.depth--
    } else if (/^['"]/.test(text)) add(match.index, tokens.lastIndex, unescaped(text.slice(1, -1)))
    else if (/^\/[/*]/.test(text)) comments.push({ line: lineOf(match.index), text })
  }
  return { strings: found, comments }
}

function unescaped(text) {
  return text.replaceAll('\\n', '\n').replace(/\\(['"`$\\])/g, '$1')
}

/** Returns the sentences of a paragraph. */
export function sentences(text) {
  return text
    .split(/(?<=[.!?][)”"’]?)\s+(?=[^a-z])|¶|\n\s*\n|\n(?=\s*[-$]|\s{2,}\S)/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '')
}

export function wordCount(sentence) {
  return sentence.match(/[\p{L}\p{N}…][\p{L}\p{N}…’'./:_-]*/gu)?.length ?? 0
}
