import { expect, test } from 'vitest'
import { fieldFaults } from './form.ts'
import { metadataFields } from './methods.ts'

test('the form accepts empty fields only for inputs that a connection can be without', () => {
  const inputs = [{ name: 'url' }, { name: 'database', use: 'objects' }, { name: 'engine', use: 'optional' }] as const
  const fields = metadataFields({ inputs: [...inputs], defaultModule: 'root' })
  expect([...fieldFaults(fields, new Map()).keys()]).toEqual(['providerMetadata.url'])
})
