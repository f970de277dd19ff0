import { expect, it } from 'vitest'
import { readProviderFile } from './read-provider-file.ts'

it('a token endpoint for refresh tokens has no effect where a grant has none', () => {
  const scheme = (grant: string) =>
    readProviderFile(
      'a.yaml',
      `name: a
baseUrl: https://a.example.com
authentication:
  - { scheme: oauth2, grantType: ${grant}, authUrl: https://a.example.com/a, tokenUrl: https://a.example.com/t, refreshUrl: https://a.example.com/r }
`,
    ).faults?.map(({ message }) => message) ?? []
  expect(scheme('authorizationCode')).toEqual([])
  expect(scheme('clientCredentials').join()).toContain('refreshUrl has no effect')
})
