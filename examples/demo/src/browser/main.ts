import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import open from 'open'
import { say, step, title } from '../show.ts'
import { startBrowserDemo } from './start-browser-demo.ts'

/** `npm run demo -- --browser`: a product in the browser, until Ctrl-C. `--no-open` only prints the link. */

const interrupted = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
})
const dataDir = await mkdtemp(join(tmpdir(), 'mortise-demo-'))
try {
  title('Mortise: your customers connect their CRM inside your product')
  say('Starting a sample CRM, Mortise and Harbor, a product with an “Integrations” page…')
  const demo = await startBrowserDemo({ dataDir })
  const { crm, app, mortise } = demo
  try {
    step(`Open ${app.url}/integrations`)
    say(`Harbor      ${app.url}  the product; you are Ada of Acme, and can switch to Globex`)
    say(`Sample CRM  ${crm.url}/admin  the customer’s CRM: its key, and who has access`)
    say(`Mortise     ${mortise.url}/docs  the service between them`)
    step('Connect the CRM')
    say(`with the API key ${crm.apiKey}, or sign in as ada@acme.example with the password acme`)
    step('Choose what Harbor may read, look at the preview, and install')
    say(`The contacts arrive in ${app.url}, and each message in ${app.url}/messages`)
    step('Break it')
    say(`Revoke the key or the access in ${crm.url}/admin, wait for the next read (every minute),`)
    say('and reconnect in Harbor. The settings stay.')
    say('')
    say('Ctrl-C stops everything and deletes its data.')
    if (hasBrowser()) await open(`${app.url}/integrations`).catch(() => undefined)
    await interrupted
  } finally {
    await demo.stop()
  }
} finally {
  await rm(dataDir, { recursive: true, force: true })
}

/** A terminal on a machine with a screen. */
function hasBrowser(): boolean {
  if (process.argv.includes('--no-open') || !process.stdout.isTTY || process.env['SSH_CONNECTION']) return false
  return process.platform !== 'linux' || Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY'])
}
