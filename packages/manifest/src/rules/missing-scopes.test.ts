import { expect, it } from 'vitest'
import type { CatalogueEntry } from '../catalogue.ts'
import { validateManifest } from '../validate.ts'
import type { MissingScopes } from './missing-scopes.ts'

const all = { read: true, write: true, subscribe: true, proxy: true }
const module = { implemented: all }
const crm: CatalogueEntry = {
  name: 'crm',
  authType: 'oauth2',
  implemented: all,
  modules: { sales: module, desk: module },
  defaultModule: 'sales',
}
const missingScopes: MissingScopes = {
  crm: {
    sales: { contacts: { read: ['contacts.read'], write: ['a or b', 'c'] }, deals: {}, '*': { read: ['custom'] } },
  },
}

/** Advice about scopes. */
function advice(objects: Record<string, string[]>, options: { missingScopes?: MissingScopes; module?: string } = {}) {
  const actions = Object.entries(objects).map(([action, names]) => [
    action,
    { objects: names.map((objectName) => ({ objectName, ...(action === 'read' && { destination: 'hook' }) })) },
  ])
  const integration = {
    name: 'one',
    provider: 'crm',
    ...(options.module && { module: options.module }),
    ...Object.fromEntries(actions),
  }
  const source = JSON.stringify({ specVersion: '1.0.0', integrations: [integration] })
  const { findings, valid } = validateManifest(source, {
    catalogue: { find: (name) => (name === 'crm' ? crm : undefined) },
    readIntervalMinMs: 60_000,
    strict: true,
    ...(options.missingScopes && { missingScopes: options.missingScopes }),
  })
  expect(valid).toBe(true)
  return findings.map(({ level, rule, path, message }) => [level, rule, path, message])
}

it('each scope that the provider app lacks is advice, with the object that needs it', () => {
  const at = '$.integrations[0]'
  const said = (action: string, scope: string) =>
    `To ${action} "contacts", crm needs the scope ${scope}, which the provider app does not list.`
  expect(advice({ read: ['contacts', 'deals'], write: ['contacts'] }, { missingScopes })).toEqual([
    ['advice', 'provider-app-scopes', `${at}.read.objects[0].objectName`, said('read', 'contacts.read')],
    ['advice', 'provider-app-scopes', `${at}.write.objects[0].objectName`, said('write', 'a or b')],
    ['advice', 'provider-app-scopes', `${at}.write.objects[0].objectName`, said('write', 'c')],
  ])
})

it('objects that the provider file does not name have the scopes of the others', () => {
  expect(advice({ read: ['my_object'] }, { missingScopes })).toEqual([
    ['advice', 'provider-app-scopes', expect.any(String), expect.stringContaining('the scope custom,')],
  ])
})

it('nothing is said of another module, or where nothing is known of the provider app', () => {
  expect(advice({ read: ['contacts'] }, { missingScopes, module: 'desk' })).toEqual([])
  expect(advice({ read: ['contacts'] })).toEqual([])
  expect(advice({ read: ['contacts'] }, { missingScopes: {} })).toEqual([])
})
