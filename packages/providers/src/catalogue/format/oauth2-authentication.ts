import { type Static, Type } from 'typebox'
import { MetadataInput } from './metadata-input.ts'
import { WithoutScopes } from './scopes.ts'
import { CapturedValue, pathOr } from './values.ts'
import { choice, map, name, schemeName, strict, template, templates, text } from './vocabulary.ts'

const answered = Type.Optional(
  pathOr(CapturedValue, 'The workspace, the person, and the granted scopes (default: `scope`).'),
)

const TokenMetadataFields = Type.Object(
  {
    workspaceRef: answered,
    consumerRef: answered,
    scopes: answered,
    others: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: MetadataInput.properties.name,
            displayName: Type.Optional(text('Label. Default: the name.')),
            ...CapturedValue.properties,
          },
          strict,
        ),
        { description: 'More values to store.' },
      ),
    ),
  },
  { ...strict, description: 'What to store from the token response besides the tokens. Paths are in this response.' },
)
export type TokenMetadataFields = Static<typeof TokenMetadataFields>

const RedirectFields = Type.Object(
  {
    code: Type.Optional(name('Parameter with the authorization code. Default: `code`.')),
    workspaceRef: Type.Optional(name('Parameter with the workspace.')),
    others: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: MetadataInput.properties.name,
            displayName: Type.Optional(text('Label. Default: the name.')),
            parameter: name('Name of the parameter.'),
          },
          strict,
        ),
        { description: 'More values to store.' },
      ),
    ),
  },
  {
    ...strict,
    description:
      'What to store from the redirect URL. The customer can change it: the provider must check it against the token.',
  },
)
export type RedirectFields = Static<typeof RedirectFields>

/** OAuth 2.0 (RFC 6749) with what a provider does differently. */
export const OAuth2Authentication = Type.Object(
  {
    scheme: Type.Literal('oauth2', { description: 'OAuth 2.0. Requests carry the access token as bearer token.' }),
    schemeName,
    grantType: Type.Optional(
      choice(
        ['authorizationCode', 'authorizationCodePKCE', 'clientCredentials', 'password'],
        'How Mortise gets tokens.',
      ),
    ),
    discover: Type.Optional(
      choice(
        ['mcp'],
        'Looks up the authorization server of the MCP server (`mcp`) when an account is connected. Excludes `authUrl`, `tokenUrl`, `refreshUrl` and `resource`. Needs no provider app.',
      ),
    ),
    authUrl: Type.Optional(template('Authorization endpoint.')),
    tokenUrl: Type.Optional(template('Token endpoint.')),
    refreshUrl: Type.Optional(template('Token endpoint for refresh tokens. Default: `tokenUrl`.')),
    scopes: Type.Optional(
      Type.Array(Type.String({ pattern: '^[!#-\\[\\]-~]+$', maxLength: 200 }), {
        maxItems: 100,
        description: 'With `discover`: scopes to request if neither the provider app nor the server names any.',
      }),
    ),
    scopesRequired: Type.Optional(Type.Boolean({ description: 'The provider app must name scopes.' })),
    workspaceRequired: Type.Optional(Type.Boolean({ description: 'Your customer must enter a workspace first.' })),
    workspaceDefault: Type.Optional(text('Workspace in `authUrl` and `tokenUrl` until the token response names it.')),
    pkce: Type.Optional(
      Type.Boolean({
        description: '`false`: no code challenge (RFC 7636), because the provider rejects it. Default: S256.',
      }),
    ),
    issuer: Type.Optional(
      text(
        'The provider’s `iss` (RFC 9207). Default: an origin of its endpoints. With `discover`: the only server to accept.',
      ),
    ),
    scopeSeparator: Type.Optional(text('Separator of scopes in the authorization URL. Default: a space.')),
    audience: Type.Optional(Type.Array(Type.String(), { description: '`audience` of the request.' })),
    resource: Type.Optional(
      Type.String({
        pattern: '^https?://[^#\\s]+$',
        maxLength: 500,
        description:
          '`resource` of authorization and token requests (RFC 8707): the address of the API that tokens are for, such as an MCP server.',
      }),
    ),
    authUrlParams: Type.Optional(map(Type.String(), 'More parameters of the authorization URL.')),
    tokenParams: Type.Optional(
      map(Type.String(), 'More parameters of the request that exchanges the authorization code.'),
    ),
    askAgainParams: Type.Optional(
      map(Type.String(), 'More parameters to authorize a connection again, such as one that asks for refused scopes.'),
    ),
    scopeMappings: Type.Optional(templates('Scope templates, by scope.')),
    scopeDescriptions: Type.Optional(map(text('Text.'), 'What each scope allows, in the provider’s words.')),
    scopeIncludes: Type.Optional(
      map(
        Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { minItems: 1 }),
        'Scopes that each broader scope includes.',
      ),
    ),
    scopePrefix: Type.Optional(
      text('Optional beginning of scopes, such as the address of an API. Comparisons ignore it.'),
    ),
    scopesOnDemand: Type.Optional(
      Type.Boolean({
        description:
          'The settings of the app do not limit scopes. Mortise also asks for those that your integrations need.',
      }),
    ),
    withoutScopes: Type.Optional(WithoutScopes),
    clientAuthentication: Type.Optional(
      choice(
        ['basic', 'body', 'none'],
        'Client authentication at the token endpoint (RFC 6749, section 2.3.1): HTTP `basic`, in the `body`, or `none` (the id alone). Default: `basic`, then `body`.',
      ),
    ),
    tokenMetadataFields: Type.Optional(TokenMetadataFields),
    redirectFields: Type.Optional(RedirectFields),
    tokenHeader: Type.Optional(
      Type.Object(
        { name: name('Header name.'), prefix: Type.Optional(text('Text before the token.')) },
        { ...strict, description: 'Header of the access token. Default: `Authorization: Bearer`.' },
      ),
    ),
    keepAliveIntervalHours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 8_760,
        description:
          'Hours after which an unused token is renewed, so that its refresh token stays valid. Default: 24.',
      }),
    ),
    docsUrl: Type.Optional(text('The provider’s page about OAuth.')),
  },
  { ...strict, title: 'oauth2' },
)
export type OAuth2Authentication = Static<typeof OAuth2Authentication>
