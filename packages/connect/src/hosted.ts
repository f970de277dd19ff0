import { MortiseConnect } from './elements/connect.ts'
import type { MortiseElement } from './elements/element.ts'
import { FieldBox } from './elements/field-box.ts'
import { MortiseInstall } from './elements/install.ts'
import { MortiseManage } from './elements/manage.ts'
import type { ConnectInfo, Theme } from './headless/wire.ts'

/** Draws the page of a link: one component, in the builder's colors, which notifies the page around it. */
const sheet = new CSSStyleSheet()
sheet.replaceSync(`
  :root { color-scheme: light dark; background: light-dark(var(--light-page, #f3f4f1), var(--dark-page, #121614)); }
  :root[data-theme=light] { color-scheme: light; }
  :root[data-theme=dark] { color-scheme: dark; }
  body { margin: 0; padding: clamp(0px, 5vh, 48px) 0; }
  #mortise { max-width: 480px; margin-inline: auto; display: grid; gap: 16px; grid-template-columns: minmax(0, 1fr); }
  h1 {
    display: flex; align-items: center; justify-content: center; gap: 10px; margin: 0; padding-inline: 16px;
    font: 600 16px/1.5 var(--font, system-ui, sans-serif); overflow-wrap: anywhere;
    color: light-dark(var(--light-text, #1d2421), var(--dark-text, #e7ece9));
  }
  h1 img { width: 28px; height: 28px; object-fit: contain; border-radius: 6px; }
  :root[data-framed] h1, :root:not([data-app]) h1 { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  ::part(logo) { display: none; }
  /* The product draws the frame, and the page fills it. */
  :root[data-framed] { background: light-dark(var(--light-surface, #fff), var(--dark-surface, #1a201d)); }
  :root[data-framed] body { padding: 0; }
  :root[data-framed] ::part(card) { border: 0; border-radius: 0; }
  @media (max-width: 479px) { body { padding: 0; } h1 { padding-block: 12px 0; } #mortise { gap: 12px; } }
`)
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]

const page = document.querySelector<HTMLElement>('#mortise') ?? document.body
const elements = { connect: MortiseConnect, install: MortiseInstall, manage: MortiseManage }
const purpose = (page.dataset['purpose'] ?? 'connect') as keyof typeof elements
// A slow phone takes a moment for each element, so only those of the page are defined.
customElements.define(`mortise-${purpose}`, elements[purpose])
if (purpose !== 'connect') customElements.define('mortise-field-box', FieldBox)
// The token is the last part of the path, which neither the service's logs nor a referrer hold.
const token = location.pathname.split('/').filter(Boolean).at(-1) ?? ''

const element = document.createElement(`mortise-${purpose}`) as MortiseElement & { closable?: boolean }
element.project = page.dataset['project']
element.token = token.startsWith('connect_') ? token : `connect_${token}`
// What the first view needs is in the page. Everything later is requested.
const info = document.querySelector('#mortise-info')?.textContent
if (info) element.firstInfo = JSON.parse(info) as ConnectInfo
element.onInfo = (loaded) => {
  const theme = loaded.session?.theme
  if (theme) document.documentElement.dataset['theme'] = theme
  paint(loaded.connect.theme)
  brand(loaded)
  element.closable = loaded.session?.redirectUrl !== undefined || isOpened || isFramed
}

const isFramed = window.parent !== window
document.documentElement.toggleAttribute('data-framed', isFramed)
const isOpened = window.opener !== null
let connectionId: string | undefined
let installationId: string | undefined

element.addEventListener('mortise-connected', (event) => {
  const { connection } = event.detail
  connectionId = connection.id
  tell('connected', { connectionId })
  if (purpose === 'connect' && !isFramed && !isOpened) leave(connection.status)
})
element.addEventListener('mortise-installed', (event) => {
  installationId = event.detail.installation.id
  tell('installed', { installationId, ...(connectionId !== undefined && { connectionId }) })
})
element.addEventListener('mortise-error', (event) => {
  tell('error', { kind: event.detail.kind })
})
element.addEventListener('mortise-closed', () => {
  tell('closed', {})
  if (isOpened) window.close()
  else if (!isFramed) leave(undefined)
})
const title = document.createElement('h1')
title.textContent = document.title
page.append(title, element)

/**
 * Gives the page the colors of the project's theme. Without a background, the page is a little apart from the surface
 * of the component.
 */
function paint({ dark = {}, ...light }: Theme = {}): void {
  const set = (mode: 'light' | 'dark', { background, surface, text }: Theme, ink: string) => {
    const beside = surface && `color-mix(in srgb, ${surface} 94%, ${text ?? ink})`
    setVariable(`--${mode}-page`, background ?? beside)
    setVariable(`--${mode}-surface`, surface ?? background)
    setVariable(`--${mode}-text`, text)
  }
  set('light', light, '#1d2421')
  // A color without a dark one applies to both.
  set('dark', { ...light, ...dark }, '#e7ece9')
  setVariable('--font', light.font)
}

function setVariable(name: string, value: string | undefined): void {
  if (value !== undefined) document.documentElement.style.setProperty(name, value)
}

/** Says above the component whose page it is. In a frame, the page around it does. */
function brand({ appName, logoUrl }: ConnectInfo): void {
  document.documentElement.toggleAttribute('data-app', appName !== undefined)
  if (logoUrl === undefined || title.querySelector('img')) return
  const logo = document.createElement('img')
  Object.assign(logo, { src: logoUrl, alt: '', referrerPolicy: 'no-referrer' })
  title.prepend(logo)
}

/** Notifies the page around this one, or the one that opened it; only at the origins that the project allows. */
function tell(type: string, ids: object): void {
  const receiver = isFramed ? window.parent : (window.opener as Window | null)
  if (!receiver) return
  for (const origin of element.currentInfo?.connect?.frameOrigins ?? [])
    receiver.postMessage({ source: 'mortise', type, ...ids }, origin)
}

/** Returns to the address of the session. */
function leave(status: string | undefined): void {
  const target = (element.currentInfo as ConnectInfo | undefined)?.session?.redirectUrl
  if (target === undefined || !/^https?:/i.test(target)) return
  const url = new URL(target)
  if (connectionId !== undefined) url.searchParams.set('connectionId', connectionId)
  if (installationId !== undefined) url.searchParams.set('installationId', installationId)
  if (status !== undefined) url.searchParams.set('status', status)
  location.assign(url)
}
