import { element } from './app.js'

/** The tabs of the page: each way to show the components. */
const ways = [
  ['/integrations?view=gallery', 'Gallery'],
  ['/integrations?view=install', 'Install'],
  ['/integrations?view=connect', 'Connect'],
  ['/integrations?view=manage', 'Manage'],
  ['/integrations?view=redirect', 'No popups'],
  ['/integrations?view=frame', 'Frame'],
  ['/integrations?view=window', 'Window'],
  ['/integrations?view=page', 'Page'],
  ['/react', 'React'],
  ['/vue', 'Vue'],
]

/** Draws the tabs, with this one chosen. */
export function showWays(path) {
  const links = ways.map(([href, name]) =>
    element('a', { href, ...(href === path && { 'aria-current': 'page' }) }, name),
  )
  document.querySelector('#ways').append(...links)
}

if (location.pathname !== '/integrations') showWays(location.pathname)
