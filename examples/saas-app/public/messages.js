import { element, followData } from './app.js'

const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const place = document.querySelector('#messages')

await followData(({ messages, contactCount }) => {
  const open = new Set([...place.querySelectorAll('details[open]')].map(({ id }) => id))
  document.querySelector('#count').textContent = contactCount ? `${contactCount.toLocaleString('en')} contacts` : ''
  place.replaceChildren(messages.length === 0 ? empty() : list(messages, open))
})

function empty() {
  return element(
    'div',
    { class: 'card empty' },
    element('h2', {}, 'Nothing has arrived yet'),
    element('p', { class: 'muted' }, 'Messages appear here as soon as an integration is installed.'),
    element('a', { class: 'button', href: '/integrations' }, 'Connect your CRM'),
  )
}

function list(messages, open) {
  return element(
    'div',
    { class: 'card table' },
    ...messages.map(({ id, time: at, what, records, example }) =>
      element(
        'details',
        { id, ...(open.has(id) && { open: '' }) },
        element(
          'summary',
          {},
          element('time', { datetime: at }, time.format(new Date(at))),
          element('span', {}, what),
          element('span', { class: 'muted' }, records === 1 ? '1 record' : `${records} records`),
          element('span', { class: 'signed' }, 'Signature valid'),
        ),
        element('pre', { tabindex: '0' }, JSON.stringify(example, null, 2)),
      ),
    ),
  )
}
