/** Text that is HTML already: made by `html`, never from input. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Html | false | undefined | Part[]

/** HTML in which every value is text unless it is HTML itself. Values stand between tags or in quoted attributes. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.map((text, at) => (at === 0 ? text : `${written(parts[at - 1])}${text}`)).join(''))
}

function written(part: Part): string {
  if (part === undefined || part === false) return ''
  if (Array.isArray(part)) return part.map(written).join('')
  if (part instanceof Html) return part.text
  return String(part).replace(/[&<>"'`=]/g, (character) => `&#${character.charCodeAt(0)};`)
}
