/** What all pages of Harbor share: the frame around them, who is signed in, and requests to Harbor's server. */

export async function api(path, body) {
  const answer = await fetch(path, {
    ...(body !== undefined && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  const result = await answer.json()
  if (!answer.ok) throw new Error(result.error)
  return result
}

/** Makes an element. Texts are set as texts, so that nothing that arrived can be markup. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

const pages = [
  ['/', 'Contacts'],
  ['/integrations', 'Integrations'],
  ['/messages', 'Messages'],
]

export const { customer, customers, project, mortiseUrl } = await api('/api/me')

const logo = element('img', { src: '/logo.svg', alt: '', width: '28', height: '28' })
const links = pages.map(([path, name]) => {
  const isHere =
    path === location.pathname || (path === '/integrations' && ['/react', '/vue'].includes(location.pathname))
  return element('a', { href: path, ...(isHere && { 'aria-current': 'page' }) }, name)
})
const choice = element(
  'select',
  { id: 'customer' },
  ...customers.map(({ id, name }) =>
    element('option', { value: id, ...(id === customer.id && { selected: '' }) }, name),
  ),
)
choice.addEventListener('change', async () => {
  await api('/api/customer', { id: choice.value })
  location.assign(location.pathname)
})
document.body.prepend(
  element('a', { class: 'skip', href: '#main' }, 'Skip to content'),
  element(
    'header',
    { class: 'side' },
    element('div', { class: 'brand' }, logo, 'Harbor'),
    element('nav', { class: 'menu', 'aria-label': 'Harbor' }, ...links),
    element(
      'div',
      { class: 'who' },
      element('label', { for: 'customer' }, 'Customer'),
      choice,
      element('p', {}, `Signed in as ${customer.person.name}`),
    ),
  ),
)

/** Calls `show` with what arrived for this customer, now and after each message. */
export async function followData(show) {
  const load = async () => show(await api('/api/data'))
  await load()
  new EventSource('/api/updates').addEventListener('arrived', load)
}
