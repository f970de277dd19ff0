import { type Static, Type } from 'typebox'
import { choice, map, name, schemeName, strict, template, templates, text } from './vocabulary.ts'

/** The words of custom authentication: what is asked for, the conversation that follows from it, and the token that requests carry. */

export const CustomInput = Type.Object(
  {
    name: name('Name of the input: the variable `{{name}}`, and the key in `customAuth`.'),
    displayName: Type.Optional(text('Label in forms.')),
    prompt: Type.Optional(text('Help beside the field.')),
    docsUrl: Type.Optional(text('Where the value is found.')),
    fieldType: Type.Optional(text('`text`, `secret` (default) or `select`.')),
    options: Type.Optional(
      Type.Array(
        Type.Object(
          { value: text('What is kept.'), label: text('What is shown.') },
          { ...strict, description: 'One choice.' },
        ),
        { description: 'The choices of a `select`.' },
      ),
    ),
    kind: Type.Optional(
      choice(
        ['text', 'json', 'list'],
        'What the value is: `text` (default); `json`, an object, given as such, as its text or as Base64 of that, whose parts are the variables `{{name.part}}`; a `list` of words, which a template joins by spaces.',
      ),
    ),
  },
  { ...strict, description: 'A value that custom authentication asks for.' },
)
export type CustomInput = Static<typeof CustomInput>

const take = map(
  Type.Unsafe<string | string[]>({ type: ['string', 'array'], items: { type: 'string', format: 'path' } }),
  'Secrets that the answer yields: the path of each, or several paths of which the first with a value counts. The answer must hold them all.',
)

const make = Type.Optional(templates('Further secrets: Base64 of a template over what is known by then.'))

export const CustomRequest = Type.Object(
  {
    method: Type.Optional(choice(['GET', 'POST'], 'HTTP method; `GET` when absent.')),
    url: template(
      'Whole URL without a query. Variables may stand in the host (labels) and in the path (percent-encoded).',
    ),
    query: Type.Optional(
      templates('Query parameters; one that names a variable without a value is left out, as are headers and fields.'),
    ),
    headers: Type.Optional(templates('Request headers.')),
    basic: Type.Optional(
      template('Text that `Authorization: Basic` carries in Base64, such as `{{user}}:{{password}}`.'),
    ),
    form: Type.Optional(templates('Fields of a form body.')),
    json: Type.Optional(Type.Unknown({ description: 'JSON body, written as the `body` of a read.' })),
  },
  { ...strict, description: 'A request that the service itself sends while it authenticates.' },
)
export type CustomRequest = Static<typeof CustomRequest>

const CustomRedirect = Type.Object(
  {
    url: template('Whole URL without a query, as that of a request.'),
    query: Type.Optional(
      templates(
        'Query parameters. `{{redirectUri}}` is where the browser must come back to, `{{state}}` what it must bring back.',
      ),
    ),
    expect: Type.Optional(map(Type.String(), 'Parameters that the browser must come back with, and their values.')),
    take: Type.Optional(map(Type.String(), 'Secrets that the parameters yield: the name of each. All must be there.')),
  },
  { ...strict, description: 'A page of the provider that the customer is sent to.' },
)

export const CustomStep = Type.Object(
  {
    request: Type.Optional(CustomRequest),
    take: Type.Optional(take),
    make,
    redirect: Type.Optional(CustomRedirect),
  },
  {
    ...strict,
    description: 'One step of the conversation: a `request` with what to `take` from its answer, or a `redirect`.',
  },
)
export type CustomStep = Static<typeof CustomStep>

const Assertion = Type.Object(
  {
    algorithm: choice(['RS256', 'PS256', 'ES256'], 'Signature algorithm (RFC 7518, 3.1).'),
    key: template('The private key: PEM, or Base64 of it.'),
    keyId: Type.Optional(template('`kid` of the header.')),
    claims: map(
      Type.Unsafe<string | string[]>({
        type: ['string', 'array'],
        format: 'template',
        items: { type: 'string', format: 'template' },
      }),
      'Claims: templates, or lists of them. `iat` and `exp` are set.',
    ),
    lifetimeSeconds: Type.Optional(
      Type.Integer({ minimum: 10, maximum: 3600, description: 'From `iat` to `exp`; 300 when absent.' }),
    ),
  },
  { ...strict, description: 'A signed assertion (RFC 7523): the variable `{{assertion}}` of the request.' },
)
export type Assertion = Static<typeof Assertion>

export const CustomToken = Type.Object(
  {
    assertion: Type.Optional(Assertion),
    request: CustomRequest,
    take,
    make,
    expiresIn: Type.Optional(
      Type.String({
        maxLength: 500,
        format: 'path',
        description: 'Path of the seconds that the token lives, in the answer.',
      }),
    ),
  },
  {
    ...strict,
    description:
      'How the token that requests carry is had: asked for when the account is connected, and again when it has ended or was refused.',
  },
)
export type CustomToken = Static<typeof CustomToken>

/** What none of the other schemes says: own inputs, and requests that carry them or what was made of them. */
export const CustomAuthentication = Type.Object(
  {
    scheme: Type.Literal('custom', { description: 'Own inputs, which headers and query parameters carry.' }),
    schemeName,
    headers: Type.Optional(map(template('Text.'), 'Header templates over the inputs and what was made of them.')),
    query: Type.Optional(map(template('Text.'), 'Query parameter templates, likewise.')),
    inputs: Type.Optional(Type.Array(CustomInput, { description: 'What each customer gives.' })),
    appInputs: Type.Optional(
      Type.Array(CustomInput, {
        description:
          'What the provider app gives: `clientId` and `clientSecret` are its own, others stand in its `metadata.providerParams`.',
      }),
    ),
    multiStep: Type.Optional(
      Type.Boolean({ description: 'Needs a conversation with the provider: `POST /custom-auth/connect`.' }),
    ),
    steps: Type.Optional(
      Type.Array(CustomStep, { maxItems: 10, description: 'The conversation, in order, before the token is had.' }),
    ),
    token: Type.Optional(CustomToken),
  },
  { ...strict, title: 'custom' },
)
export type CustomAuthentication = Static<typeof CustomAuthentication>
