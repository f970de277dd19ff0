import { type Static, Type } from 'typebox'
import { type Issue, MapOf } from '../../../kernel/http/index.ts'

/** How connect pages and components of a project look, in which language, and where they may be shown. */

const color = (description: string) =>
  Type.Optional(Type.String({ maxLength: 100, description: `${description} A CSS color: \`#1c6b50\`, \`rgb(…)\`.` }))

const colors = {
  accent: color('Buttons and links.'),
  accentText: color('Text on buttons.'),
  background: color('Behind everything.'),
  surface: color('Cards and fields.'),
  text: color('Text.'),
  mutedText: color('Hints and secondary text.'),
  border: color('Lines and outlines.'),
  danger: color('Errors.'),
}

export const ConnectTheme = Type.Object(
  {
    ...colors,
    radius: Type.Optional(
      Type.String({ maxLength: 20, description: 'Radius of corners: `0`, or a number with `px`, `rem` or `em`.' }),
    ),
    font: Type.Optional(
      Type.String({ maxLength: 200, description: 'Names of fonts, as in the CSS property `font-family`.' }),
    ),
    dark: Type.Optional(Type.Object(colors, { description: 'Other colors for dark pages.' })),
  },
  { description: 'Colors, corners and fonts. What is absent has its default.' },
)

export const ConnectSettings = Type.Object(
  {
    theme: Type.Optional(ConnectTheme),
    frameOrigins: Type.Optional(
      Type.Array(Type.String({ maxLength: 300 }), {
        maxItems: 50,
        description:
          'Origins of the pages that may show a connect page in a frame, and that a browser may return to: `https://app.example.com`; `http` for localhost alone.',
      }),
    ),
    language: Type.Optional(
      Type.String({
        maxLength: 40,
        description: 'Language of connect pages, as `de` or `pt-BR`. By default that of the browser.',
      }),
    ),
    messages: Type.Optional(
      MapOf(MapOf(Type.String({ maxLength: 2_000 }), { description: 'Text (ICU) by key.' }), {
        description: 'Your own texts, by language.',
      }),
    ),
  },
  { description: 'How connect pages and components look, in which language, and where they may be shown.' },
)
export type ConnectSettings = Static<typeof ConnectSettings>

const messagesCharsMax = 65_536
const languagePattern = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$/
const colorPattern =
  /^(#[0-9a-f]{3,4}|#[0-9a-f]{6}|#[0-9a-f]{8}|(rgb|rgba|hsl|hsla|oklch|oklab)\([0-9a-z.,%/ +-]{1,80}\)|[a-z]{3,30})$/i
const radiusPattern = /^(0|\d{1,3}(\.\d{1,3})?(px|rem|em))$/
/** Name of a font, maybe in quotation marks. Nothing that could end a declaration. */
const fontPattern = /^([\w -]+|"[\w -]+"|'[\w -]+')$/
const notInFonts = /[^\w ,"'-]/

/** One expression for a whole list would backtrack: spaces belong to names, and stand between them. */
function isFontList(text: string): boolean {
  return !notInFonts.test(text) && text.split(',').every((name) => fontPattern.test(name.trim()))
}

/** Returns the issues of settings. They become CSS and headers, so values are limited to what those need. */
export function connectIssues({ theme, frameOrigins, language, messages }: ConnectSettings, at: string): Issue[] {
  const issues: Issue[] = []
  const issue = (name: string, value: string, detail: string) =>
    issues.push({ in: 'body', name: `${at}.${name}`, value, detail })
  const { radius, font, dark, ...light } = theme ?? {}
  for (const [prefix, values] of [
    ['theme', light],
    ['theme.dark', dark ?? {}],
  ] as const)
    for (const name of Object.keys(colors) as (keyof typeof colors)[]) {
      const value = values[name]
      if (value !== undefined && !colorPattern.test(value))
        issue(`${prefix}.${name}`, value, 'This is not a CSS color, such as `#1c6b50`.')
    }
  if (radius !== undefined && !radiusPattern.test(radius))
    issue('theme.radius', radius, 'radius must be `0`, or a number with `px`, `rem` or `em`.')
  if (font !== undefined && !isFontList(font))
    issue('theme.font', font, 'font must be names of fonts, separated by commas.')
  for (const [index, origin] of (frameOrigins ?? []).entries())
    if (!isFrameOrigin(origin))
      issue(`frameOrigins[${index}]`, origin, 'This is not an origin: `https://`, a host and maybe a port.')
  if (language !== undefined && language !== '' && !languagePattern.test(language))
    issue('language', language, 'language must be the tag of a language, such as `de` or `pt-BR`.')
  for (const [tag, texts] of Object.entries(messages ?? {})) {
    if (!languagePattern.test(tag)) issue('messages', tag, 'messages must have tags of languages as keys.')
    for (const key of Object.keys(texts))
      if (!/^[\w.-]{1,100}$/.test(key)) issue(`messages.${tag}`, key, 'This is not the key of a text.')
  }
  if (messages && JSON.stringify(messages).length > messagesCharsMax)
    issues.push({
      in: 'body',
      name: `${at}.messages`,
      detail: `messages can have at most ${messagesCharsMax} characters.`,
    })
  return issues
}

/**
 * Returns whether a text is exactly an origin that may frame pages: https, or http on this computer. A URL may have
 * `;` and `*` in its host, which mean something else in a content security policy.
 */
export function isFrameOrigin(text: string): boolean {
  const url = URL.parse(text)
  if (url?.origin !== text) return false
  const isLocal = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
  return (url.protocol === 'https:' && /^[a-z0-9.-]+$/.test(url.hostname)) || (url.protocol === 'http:' && isLocal)
}

/** Returns the issues of the address of a logo. An empty text removes it. */
export function logoIssues(logoUrl: string, at: string): Issue[] {
  const url = URL.parse(logoUrl)
  if (logoUrl === '' || (url?.protocol === 'https:' && url.username === '' && url.password === '')) return []
  return [{ in: 'body', name: at, value: logoUrl, detail: `${at} must be the https address of an image.` }]
}
