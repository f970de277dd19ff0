import { expect, test } from 'vitest'
import type { ProviderEntry } from '../catalogue/entry.ts'
import { connectionParts } from './connection-parts.ts'

const entryIn = (region: string) =>
  ({ name: 'crm', inputs: [{ name: 'region', default: region }] }) as Partial<ProviderEntry> as ProviderEntry
const entry = entryIn('eu')
const base = 'https://{{workspace}}.{{region}}.example.com'

test('connectors with the same metadata share what requests have in common', () => {
  const metadata = { region: 'us' }
  const parts = connectionParts(entry, { metadata, workspaceRef: 'acme' })
  expect(connectionParts(entry, { metadata, workspaceRef: 'acme' })).toBe(parts)
  expect(parts.baseUrl(base).href).toBe('https://acme.us.example.com/')
  expect(parts.baseUrl(base)).toBe(parts.baseUrl(base))
})

test('other metadata, another workspace and another provider file have their own', () => {
  const metadata = {}
  const hrefOf = (of: ProviderEntry, values: Record<string, string>, workspaceRef: string) =>
    connectionParts(of, { metadata: values, workspaceRef }).baseUrl(base).href
  expect(hrefOf(entry, metadata, 'acme')).toBe('https://acme.eu.example.com/')
  expect(hrefOf(entry, metadata, 'other')).toBe('https://other.eu.example.com/')
  expect(hrefOf(entryIn('uk'), metadata, 'acme')).toBe('https://acme.uk.example.com/')
  expect(hrefOf(entry, { region: 'us' }, 'acme')).toBe('https://acme.us.example.com/')
  expect(hrefOf(entry, metadata, 'acme')).toBe('https://acme.eu.example.com/')
})
