import type { AuthorizationServer } from '../../../../testkit/authorization-server.ts'

/** A provider for each thing that a page can ask for; `me` answers whether a credential is good. */
export function connectProviders(origin: string, server: AuthorizationServer): Record<string, object> {
  const healthCheck = { path: '/me', successStatusCodes: [200] }
  const key = { scheme: 'apiKey', attach: 'header', name: 'X-Key' }
  const code = {
    scheme: 'oauth2',
    grantType: 'authorizationCode',
    authUrl: `${server.origin}/auth`,
    tokenUrl: `${server.origin}/token`,
    scopeDescriptions: { 'contacts.read': 'Read your contacts' },
  }
  const own = (grantType: string) => ({
    displayName: grantType,
    baseUrl: server.origin,
    authentication: [
      { scheme: 'oauth2', grantType, tokenUrl: `${server.origin}/token`, scopesRequired: grantType === 'password' },
    ],
    healthCheck: { path: '/me' },
  })
  const bearer = { scheme: 'custom', headers: { Authorization: 'Bearer {{accessToken}}' } }
  return {
    keyed: {
      displayName: 'Keyed',
      baseUrl: origin,
      inputs: [
        {
          name: 'workspace',
          displayName: 'Workspace',
          prompt: 'The first part of the address of your account, such as acme in acme.keyed.example.',
          docsUrl: 'https://keyed.example/help',
          use: 'kept',
        },
      ],
      authentication: [{ ...key, displayName: 'Private app key', docsUrl: 'javascript:alert(1)' }],
      healthCheck,
    },
    basic: { displayName: 'Basic', baseUrl: origin, authentication: [{ scheme: 'basic' }], healthCheck },
    machine: own('clientCredentials'),
    person: own('password'),
    custom: {
      displayName: 'Custom',
      baseUrl: origin,
      authentication: [
        {
          scheme: 'custom',
          headers: {
            'X-Key': '{{key}}',
            'X-Region': '{{region}}',
            'X-Account': '{{account}}',
            'X-Part': '{{document.a}}',
          },
          inputs: [
            {
              name: 'region',
              displayName: 'Region',
              fieldType: 'select',
              options: [
                { value: 'eu', label: 'Europe' },
                { value: 'us', label: 'America' },
              ],
            },
            { name: 'account', displayName: 'Account', fieldType: 'text', prompt: 'As in your invoices.' },
            { name: 'key', displayName: 'Key' },
            { name: 'document', displayName: 'Document', kind: 'json' },
          ],
        },
      ],
      healthCheck,
    },
    formed: {
      displayName: 'Formed',
      baseUrl: origin,
      inputs: [{ name: 'site', displayName: 'Site', use: 'kept', example: 'acme', pattern: '[a-z]+' }],
      authentication: [
        { ...key, prompt: 'From your profile.', example: 'key-abc123', pattern: 'key-[a-z0-9]+' },
        {
          scheme: 'custom',
          headers: { 'X-Key': '{{token}}', 'X-Account': '{{account}}' },
          inputs: [
            { name: 'account', fieldType: 'text', pattern: '[0-9]+', example: '4711' },
            { name: 'token', pattern: '(t+)+' },
          ],
        },
      ],
      healthCheck,
    },
    nothing: { displayName: 'Nothing', baseUrl: origin, authentication: [{ scheme: 'none' }] },
    placed: {
      displayName: 'Placed',
      baseUrl: '{{url}}',
      inputs: [{ name: 'url', displayName: 'Address', kind: 'url' }],
      authentication: [key],
    },
    several: {
      displayName: 'Several',
      baseUrl: origin,
      authentication: [code, key],
      healthCheck,
    },
    appless: { displayName: 'Appless', baseUrl: origin, authentication: [code, key], healthCheck },
    exchanger: {
      displayName: 'Exchanger',
      baseUrl: origin,
      authentication: [
        {
          ...bearer,
          multiStep: true,
          inputs: [{ name: 'key', displayName: 'Key' }],
          token: {
            request: { method: 'POST', url: `${origin}/token`, form: { key: '{{key}}' } },
            take: { accessToken: 'access_token' },
          },
        },
      ],
      healthCheck,
    },
    stepper: {
      displayName: 'Stepper',
      baseUrl: origin,
      authentication: [
        {
          ...bearer,
          multiStep: true,
          inputs: [{ name: 'account', displayName: 'Account', fieldType: 'text' }],
          appInputs: [{ name: 'clientId' }, { name: 'clientSecret' }],
          steps: [
            {
              redirect: {
                url: `${origin}/consent`,
                query: { client: '{{clientId}}', account: '{{account}}', back: '{{redirectUri}}', state: '{{state}}' },
                take: { code: 'code' },
              },
            },
          ],
          token: {
            request: { method: 'POST', url: `${origin}/token`, form: { code: '{{code}}' } },
            take: { accessToken: 'access_token' },
          },
        },
      ],
      healthCheck,
    },
  }
}
