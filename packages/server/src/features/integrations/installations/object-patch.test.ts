import { expect, it } from 'vitest'
import { inheritedConfig, patchObjectConfig } from './object-patch.ts'

it('what the manifest says of deletions can be replaced for one customer, and is stored where it differs', () => {
  const integration = {
    name: 'crm',
    provider: 'sampleCrm',
    read: { objects: [{ objectName: 'contacts', destination: 'hook', deletions: { enabled: 'always' as const } }] },
  }
  const inherited = inheritedConfig(integration, 'read', 'contacts')
  const stored = { objectName: 'contacts' }
  const patch = (value: string) =>
    patchObjectConfig(inherited, stored, [{ op: 'replace', path: '/deletions/enabled', value }])
  expect(patch('never')).toEqual({ object: { objectName: 'contacts', deletions: { enabled: 'never' } } })
  expect(patch('always')).toEqual({ object: stored })
})
