import { element, followData } from './app.js'

const columns = ['Name', 'Email', 'Phone', 'City', 'Lifecycle']

await followData(({ contacts, contactCount }) => {
  const place = document.querySelector('#contacts')
  document.querySelector('#count').textContent =
    contactCount === 0 ? '' : `${contactCount.toLocaleString('en')} contacts, the newest ${contacts.length} shown`
  place.replaceChildren(contactCount === 0 ? empty() : table(contacts))
})

function empty() {
  return element(
    'div',
    { class: 'card empty' },
    element('h2', {}, 'No contacts yet'),
    element('p', { class: 'muted' }, 'Connect your CRM. Your contacts appear here while they are read.'),
    element('a', { class: 'button', href: '/integrations' }, 'Connect your CRM'),
  )
}

function table(contacts) {
  const row = ({ name, email, phone, city, lifecycle }) =>
    element(
      'tr',
      {},
      element('td', {}, name || '–'),
      element('td', {}, email),
      element('td', {}, phone),
      element('td', {}, city),
      element('td', {}, ...(lifecycle ? [element('span', { class: 'tag' }, lifecycle)] : ['–'])),
    )
  return element(
    'div',
    { class: 'card table', tabindex: '0', role: 'region', 'aria-label': 'Contacts' },
    element(
      'table',
      {},
      element('thead', {}, element('tr', {}, ...columns.map((name) => element('th', { scope: 'col' }, name)))),
      element('tbody', {}, ...contacts.map(row)),
    ),
  )
}
