import { type Static, Type } from 'typebox'
import { ResponseMatch, status } from './responses.ts'
import {
  capture,
  choice,
  map,
  name,
  path,
  schemeName,
  strict,
  template,
  templates,
  text,
  valueForm,
} from './vocabulary.ts'

/**
 * The format of custom authentication: its inputs, the steps of multi-step authentication, and the token that requests
 * carry.
 */

export const CustomInput = Type.Object(
  {
    name: name('Name of the input: the variable `{{name}}`, and the key in `customAuth`.'),
    ...valueForm,
    fieldType: Type.Optional(text('`text`, `secret` (default) or `select`.')),
    options: Type.Optional(
      Type.Array(
        Type.Object(
          { value: text('Stored value.'), label: text('Label in the form.') },
          { ...strict, description: 'A choice.' },
        ),
        { description: 'Choices of a `select`.' },
      ),
    ),
    kind: Type.Optional(
      choice(
        ['text', 'json', 'list'],
        '`text` (default), `json` (an object, also in Base64; `{{name.part}}` reads a part) or `list` (words, joined with spaces).',
      ),
    ),
  },
  { ...strict, description: 'An input of custom authentication.' },
)
export type CustomInput = Static<typeof CustomInput>

/** Where a secret is in a response that is not JSON with a path to it. */
const TakenFrom = Type.Object(
  {
    path: Type.Optional(path('Path of the value. Default: the response as text.')),
    capture,
    cookie: Type.Optional(name('Name of the cookie that has the value. Needs `cookies`.')),
  },
  { ...strict, minProperties: 1 },
)
export type TakenFrom = Static<typeof TakenFrom>

const take = map(
  Type.Unsafe<string | string[] | TakenFrom>({
    ...TakenFrom,
    type: ['string', 'array', 'object'],
    items: { type: 'string', format: 'path' },
  }),
  'Secrets from the response: a path, or paths of which the first with a value is used. A missing value is an error.',
)

const Success = Type.Object(
  {
    ...ResponseMatch.properties,
    status: Type.Optional(status(200, 399)),
  },
  {
    ...strict,
    minProperties: 1,
    description:
      'What a success looks like, such as `{ status: 302, headers: { location: { matches: /home } } }`. Any other response is a refusal. Default of `status`: any 2xx.',
  },
)
export type Success = Static<typeof Success>

const make = Type.Optional(templates('More secrets: the Base64 encoding of a template of all values so far.'))

export const CustomRequest = Type.Object(
  {
    method: Type.Optional(choice(['GET', 'POST'], 'Default: `GET`.')),
    url: template('Complete URL without a query. Variables in the host and path are percent-encoded.'),
    query: Type.Optional(
      templates('Query parameters. Parameters, headers and form fields without a value are left out.'),
    ),
    headers: Type.Optional(templates('Request headers.')),
    basic: Type.Optional(
      template('Text for `Authorization: Basic`, before Base64 encoding, such as `{{user}}:{{password}}`.'),
    ),
    form: Type.Optional(templates('Fields of a form body.')),
    json: Type.Optional(Type.Unknown({ description: 'JSON body. Same syntax as the `body` of a request.' })),
  },
  { ...strict, description: 'A request while Mortise authenticates.' },
)
export type CustomRequest = Static<typeof CustomRequest>

const CustomRedirect = Type.Object(
  {
    url: template('Complete URL without a query.'),
    query: Type.Optional(
      templates('Query parameters. `{{redirectUri}}` is the URL to return to, with `{{state}}` unchanged.'),
    ),
    expect: Type.Optional(map(Type.String(), 'Parameters that the browser must return with, and their values.')),
    take: Type.Optional(
      map(
        Type.String(),
        'Secrets from the parameters, by name: the name of each parameter. A missing one is an error.',
      ),
    ),
  },
  { ...strict, description: 'Redirects the customer to a page of the provider.' },
)

export const CustomStep = Type.Object(
  {
    request: Type.Optional(CustomRequest),
    take: Type.Optional(take),
    make,
    success: Type.Optional(Success),
    redirect: Type.Optional(CustomRedirect),
  },
  {
    ...strict,
    description: 'A step before the token request: a `request` or a `redirect`.',
  },
)
export type CustomStep = Static<typeof CustomStep>

const Assertion = Type.Object(
  {
    algorithm: choice(['RS256', 'PS256', 'ES256'], 'Signature algorithm (RFC 7518, section 3.1).'),
    key: template('Private key: PEM, or PEM in Base64.'),
    keyId: Type.Optional(template('`kid` of the header.')),
    claims: map(
      Type.Unsafe<string | string[]>({
        type: ['string', 'array'],
        format: 'template',
        items: { type: 'string', format: 'template' },
      }),
      'Claims: templates, or lists of templates. Mortise sets `iat` and `exp`.',
    ),
    lifetimeSeconds: Type.Optional(
      Type.Integer({ minimum: 10, maximum: 3600, description: 'Seconds from `iat` to `exp`. Default: 300.' }),
    ),
  },
  { ...strict, description: 'Creates `{{assertion}}`, a signed assertion (RFC 7523).' },
)
export type Assertion = Static<typeof Assertion>

export const TokenStep = Type.Object(
  { request: CustomRequest, take: Type.Optional(take), make, success: Type.Optional(Success) },
  { ...strict, description: 'A request before the token request.' },
)

export const CustomToken = Type.Object(
  {
    assertion: Type.Optional(Assertion),
    steps: Type.Optional(
      Type.Array(TokenStep, {
        maxItems: 5,
        description: 'Requests before `request`. Later ones use what earlier ones `take`.',
      }),
    ),
    request: CustomRequest,
    take: Type.Optional(take),
    make,
    success: Type.Optional(Success),
    cookies: Type.Optional(
      Type.Boolean({
        description:
          'Mortise keeps the cookies that these requests set, encrypted, and sends them with every request to the same host (RFC 6265).',
      }),
    ),
    expiresIn: Type.Optional(
      Type.String({
        maxLength: 500,
        format: 'path',
        description: 'Path of the token’s lifetime in seconds, in the response.',
      }),
    ),
  },
  {
    ...strict,
    description:
      'How Mortise gets the token that requests carry. It sends the request when an account is connected, when the token has expired, and when the provider refuses it.',
  },
)
export type CustomToken = Static<typeof CustomToken>

/** What none of the other schemes says: own inputs, and requests that carry them or what was made of them. */
export const CustomAuthentication = Type.Object(
  {
    scheme: Type.Literal('custom', { description: 'Your own inputs, sent in headers and query parameters.' }),
    schemeName,
    headers: Type.Optional(
      map(template('Text.'), 'Header templates of the inputs and of the secrets from steps and token.'),
    ),
    query: Type.Optional(map(template('Text.'), 'Query parameter templates, with the same variables.')),
    form: Type.Optional(
      map(
        template('Text.'),
        'Fields of each form body (`encoding: form`), such as a token against request forgery. The proxy adds none.',
      ),
    ),
    inputs: Type.Optional(Type.Array(CustomInput, { description: 'Values that each customer enters.' })),
    appInputs: Type.Optional(
      Type.Array(CustomInput, {
        description:
          'Values of the provider app: `clientId`, `clientSecret`, and names in its `metadata.providerParams`.',
      }),
    ),
    multiStep: Type.Optional(
      Type.Boolean({ description: 'Authentication takes several steps (`POST /custom-auth/connect`).' }),
    ),
    steps: Type.Optional(
      Type.Array(CustomStep, { maxItems: 10, description: 'Steps before the token request, in order.' }),
    ),
    token: Type.Optional(CustomToken),
  },
  { ...strict, title: 'custom' },
)
export type CustomAuthentication = Static<typeof CustomAuthentication>
