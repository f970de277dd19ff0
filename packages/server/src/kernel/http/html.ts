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

/**
 * Renders data for a script of the page. Browsers do not run it, so a policy against inline scripts allows it. No `<`
 * remains in it, so that nothing in the data ends the element.
 */
export function jsonBlock(id: string, json: string): Html {
  return html`<script type="application/json" id="${id}">${new Html(json.replaceAll('<', '\\u003c'))}</script>`
}

function written(part: Part): string {
  if (part === undefined || part === false) return ''
  if (Array.isArray(part)) return part.map(written).join('')
  if (part instanceof Html) return part.text
  return String(part).replace(/[&<>"'`=]/g, (character) => `&#${character.charCodeAt(0)};`)
}
