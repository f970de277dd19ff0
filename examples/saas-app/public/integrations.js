import { api, element, project } from './app.js'
import { showWays } from './ways.js'

/**
 * The ways to show the components. A product needs one of them; this page has all, to compare them. The `view` in the
 * address chooses.
 */
const place = document.querySelector('#place')
const mortiseUrl = new URL(document.querySelector('script[src$="/connect.js"]').src).origin

/** Harbor's server makes a session for the customer who is signed in, and answers its token. */
const session = (purpose, more = {}) => api('/api/connect-session', { purpose, ...more })

/** Puts a component on the page. It calls `getToken` again when its token has expired. */
function show(name, purpose, attributes = {}) {
  const component = element(name, { project, ...attributes })
  component.getToken = async () => (await session(purpose)).token
  place.replaceChildren(component)
  return component
}

const views = {
  gallery: () => show('mortise-integrations', 'manage'),
  install: () => show('mortise-install', 'install', { integration: 'sampleCrm' }),
  connect: () => show('mortise-connect', 'connect', { provider: 'sampleCrm' }),
  manage: () => show('mortise-manage', 'manage'),
  redirect: () => show('mortise-integrations', 'manage', { mode: 'redirect' }),
  frame: showFrame,
  window: showWindow,
  page: showLink,
}

async function showFrame() {
  const { url } = await session('install')
  place.replaceChildren(element('iframe', { src: url, title: 'Connect your CRM' }))
}

function showWindow() {
  const button = element('button', { type: 'button' }, 'Open the window')
  button.addEventListener('click', async () => {
    // Opened during the click, so that no browser blocks it.
    const opened = window.open('about:blank', 'mortise', 'width=560,height=760')
    const { url } = await session('install')
    if (opened) opened.location.href = url
    else location.assign(url)
  })
  place.replaceChildren(button, result)
}

async function showLink() {
  const { url } = await session('install', { redirectUrl: `${location.origin}/integrations?view=page` })
  place.replaceChildren(element('p', {}, element('a', { class: 'button', href: url }, 'Open the page')), result)
}

const result = element('p', { class: 'muted', role: 'status' })
const { searchParams } = new URL(location.href)
if (searchParams.has('status')) result.textContent = `The page ended: ${searchParams.get('status')}.`
window.addEventListener('message', ({ origin, data }) => {
  if (origin !== mortiseUrl || data?.source !== 'mortise') return
  result.textContent = `The window says: ${data.type}.`
})

const chosen = Object.hasOwn(views, searchParams.get('view')) ? searchParams.get('view') : 'gallery'
showWays(`/integrations?view=${chosen}`)
await views[chosen]()
