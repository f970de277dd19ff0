import { type Static, Type } from 'typebox'
import { capture, choice, map, name, path, schemeName, strict, template, templates, text } from './vocabulary.ts'

/** A path in the token answer with the part of the value that is wanted. */
const CapturedPath = Type.Object({ path: path('Path in the token answer.'), capture }, strict)
export type CapturedPath = Static<typeof CapturedPath>

const answered = (description: string) =>
  Type.Optional(
    Type.Unsafe<string | CapturedPath>({
      type: ['string', 'object'],
      format: 'path',
      maxLength: 500,
      properties: CapturedPath.properties,
      required: ['path'],
      additionalProperties: false,
      description,
    }),
  )

const TokenMetadataFields = Type.Object(
  {
    workspaceRef: answered('Where the answer names the workspace: a path, or `{path, capture}`.'),
    consumerRef: answered('Where the answer names the person.'),
    scopes: answered('Where the answer lists the granted scopes; `scope` when absent.'),
    others: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: name('Key in `providerMetadata` of the connection, and variable.'),
            displayName: Type.Optional(text('Label; the name when absent.')),
            path: path('Path in the token answer.'),
            capture,
          },
          strict,
        ),
        { description: 'Further values to keep.' },
      ),
    ),
  },
  { ...strict, description: 'What is kept of the answer of the token endpoint besides the tokens.' },
)
export type TokenMetadataFields = Static<typeof TokenMetadataFields>

const RedirectFields = Type.Object(
  {
    workspaceRef: Type.Optional(name('Parameter that names the workspace.')),
    others: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: name('Key in `providerMetadata` of the connection, and variable.'),
            displayName: Type.Optional(text('Label; the name when absent.')),
            parameter: name('Name of the parameter.'),
          },
          strict,
        ),
        { description: 'Further values to keep.' },
      ),
    ),
  },
  {
    ...strict,
    description:
      'What is kept of the parameters that the provider adds beside the code when it sends the browser back. Whoever connects may change them: the provider must hold them against the token.',
  },
)
export type RedirectFields = Static<typeof RedirectFields>

/** OAuth 2.0 (RFC 6749) with what a provider does differently. */
export const OAuth2Authentication = Type.Object(
  {
    scheme: Type.Literal('oauth2', { description: 'OAuth 2.0; the access token is sent as bearer token.' }),
    schemeName,
    grantType: Type.Optional(
      choice(
        ['authorizationCode', 'authorizationCodePKCE', 'clientCredentials', 'password'],
        'How tokens are obtained.',
      ),
    ),
    authUrl: Type.Optional(template('Authorization endpoint.')),
    tokenUrl: Type.Optional(template('Token endpoint.')),
    scopesRequired: Type.Optional(Type.Boolean({ description: 'Scopes must be asked for.' })),
    workspaceRequired: Type.Optional(Type.Boolean({ description: 'The customer must name a workspace first.' })),
    workspaceDefault: Type.Optional(
      text(
        'What stands for the workspace in `authUrl` and `tokenUrl` while none is known; the tokens then tell which it is.',
      ),
    ),
    pkce: Type.Optional(
      Type.Boolean({
        description:
          'False: the provider chokes on a code challenge (RFC 7636), and is sent none. Every other one is sent S256.',
      }),
    ),
    issuer: Type.Optional(
      text('What the provider calls itself in its answers (`iss`, RFC 9207); an origin of its endpoints when absent.'),
    ),
    scopeSeparator: Type.Optional(text('Between scopes in the authorization URL; a space when absent.')),
    audience: Type.Optional(Type.Array(Type.String(), { description: '`audience` of the request.' })),
    authUrlParams: Type.Optional(map(Type.String(), 'Further parameters of the authorization URL.')),
    scopeMappings: Type.Optional(templates('Scope templates by scope.')),
    clientAuthentication: Type.Optional(
      choice(
        ['basic', 'body', 'none'],
        'How the client says who it is at the token endpoint (RFC 6749, 2.3.1): HTTP Basic, in the body, or by its id alone. When absent, Basic is tried first, then the body.',
      ),
    ),
    tokenMetadataFields: Type.Optional(TokenMetadataFields),
    redirectFields: Type.Optional(RedirectFields),
    tokenHeader: Type.Optional(
      Type.Object(
        { name: name('Header name.'), prefix: Type.Optional(text('Text before the token.')) },
        { ...strict, description: 'Where the access token goes when not `Authorization: Bearer`.' },
      ),
    ),
    keepAliveIntervalHours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 8_760,
        description:
          'Tokens that nobody uses are renewed this often, so that their refresh token stays good; 24 when absent.',
      }),
    ),
    docsUrl: Type.Optional(text('The provider’s page about it.')),
  },
  { ...strict, title: 'oauth2' },
)
export type OAuth2Authentication = Static<typeof OAuth2Authentication>
