const colors = ['accent', 'accentText', 'background', 'surface', 'text', 'mutedText', 'border', 'danger'] as const
type Colors = Partial<Record<(typeof colors)[number], string>>

/** The theme of a project. A color without a `dark` one is used on dark pages too. */
export interface ProjectTheme extends Colors {
  radius?: string
  font?: string
  dark?: Colors
}

const sheets = new WeakMap<Element, CSSStyleSheet>()

/**
 * Applies the project's theme below the variables that the page sets. Values are set one by one, so that none can
 * contain another rule.
 */
export function projectTheme(
  element: HTMLElement & { shadowRoot: ShadowRoot | null },
  { radius, font, dark = {}, ...light }: ProjectTheme = {},
): void {
  const root = element.shadowRoot
  if (!root) return
  let sheet = sheets.get(element)
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.insertRule(':host{}')
    sheets.set(element, sheet)
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
  }
  const { style } = sheet.cssRules[0] as CSSStyleRule
  const set = (name: string, value: string | undefined) =>
    value === undefined ? style.removeProperty(name) : style.setProperty(name, value)
  for (const name of colors) {
    set(`--_light-${name}`, light[name])
    set(`--_dark-${name}`, dark[name] ?? light[name])
  }
  set('--_radius-setting', radius)
  set('--_font-setting', font)
}
