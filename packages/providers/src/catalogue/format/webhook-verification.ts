import { type Static, Type } from 'typebox'
import { choice, condition, label, name, path, strict, tagged, template, text, valueForm } from './vocabulary.ts'

/** How forms ask a customer for the secret of a webhook. */
const SecretInput = Type.Object(
  {
    displayName: name(label),
    prompt: valueForm.prompt,
    docsUrl: valueForm.docsUrl,
  },
  {
    ...strict,
    description:
      'With `installation`: how forms ask the customer for the secret. `prompt` and `docsUrl` say how to set up the webhook, and where the secret is.',
  },
)
export type SecretInput = Static<typeof SecretInput>

export const Secret = Type.Object(
  {
    from: choice(
      ['answer', 'generated', 'app', 'installation', 'credential'],
      '`answer`: the response to the registration has it. `generated`: Mortise sends `{{secret}}`. `app`: the provider app has it. `installation`: the customer sets up the webhook and enters it. `credential`: the API key or password of the connection.',
    ),
    input: Type.Optional(SecretInput),
    name: Type.Optional(name('With `app`: a name in `metadata.providerParams`. Default: the client secret.')),
    prefix: Type.Optional(text('Text before the key that is not part of it, such as `whsec_`.')),
    encoding: Type.Optional(choice(['text', 'base64', 'hex'], 'Encoding of the key. Default: `text`.')),
    characters: Type.Optional(
      Type.Integer({
        minimum: 16,
        maximum: 64,
        description: 'With `generated`: length of the secret. Default: 64.',
      }),
    ),
  },
  { ...strict, description: 'Source of the key.' },
)

const Timestamp = Type.Object(
  {
    header: Type.Optional(name('Name of the header.')),
    field: Type.Optional(name('Name of the value, where the header holds pairs such as `t=1,v1=…`.')),
    position: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 8,
        description: 'Position in a list such as `1700000000,SIGNATURE`, from 1.',
      }),
    ),
    body: Type.Optional(path('Path of the time in the body, where no header has it.')),
    unit: choice(['seconds', 'milliseconds', 'rfc3339'], 'Format: a number since 1970, or RFC 3339.'),
    toleranceSeconds: Type.Integer({
      minimum: 1,
      maximum: 10_000_000,
      description: 'Largest difference from the current time, against replays.',
    }),
  },
  { ...strict, description: 'Time of the signature. It has `header` or `body`.' },
)
export type Timestamp = Static<typeof Timestamp>

const Certificate = Type.Object(
  {
    at: Type.String({
      maxLength: 500,
      format: 'handshake-location',
      description: 'Location of the URL: a path in the payload, or `header:` and a header name.',
    }),
    hosts: Type.Array(Type.String({ maxLength: 253, format: 'host-pattern' }), {
      minItems: 1,
      maxItems: 20,
      description:
        'Hosts that the URL may name: `api.example.com`, `*.example.com` for every name below, or `api.*.example.com` for one label. Requests with another URL are refused.',
    }),
    pathEnd: Type.Optional(
      text(
        'End of the path of the URL, such as `.pem`. The URL then has no query. For hosts with an API that may return texts of anybody.',
      ),
    ),
    names: Type.Array(Type.String({ maxLength: 253, format: 'host-pattern' }), {
      minItems: 1,
      maxItems: 20,
      description: 'Host names of which the certificate must have one.',
    }),
    chain: Type.Optional(
      Type.Boolean({
        description: 'The URL returns the whole chain, to a certificate authority that Node.js trusts.',
      }),
    ),
  },
  {
    ...strict,
    description:
      'With `certificate`: where it is. Mortise fetches it by https without redirects, and it must be valid now.',
  },
)

export const PublicKey = Type.Object(
  {
    from: choice(
      ['app', 'connection', 'answer', 'file', 'certificate'],
      '`app`: a value of the provider app, for all accounts. `connection`: a value of the connection. `answer`: the response to the registration has it. `file`: one key for everybody. `certificate`: each request names the URL of a certificate.',
    ),
    name: Type.Optional(
      name(
        'With `app` and `connection`: name of the value, in `metadata.providerParams` or `providerMetadata`: up to eight keys as PEM, or one in Base64.',
      ),
    ),
    value: Type.Optional(text('With `file`: the public key, as PEM or in Base64.')),
    certificate: Type.Optional(Certificate),
  },
  { ...strict, description: 'Source of the public key. RSA keys have at least 2048 bits.' },
)

const KeySet = Type.Object(
  {
    from: choice(['url'], '`url`: the provider publishes its keys as a key set (JWKS, RFC 7517).'),
    url: text('URL of the key set. Mortise requests it again every hour.'),
  },
  { ...strict, description: 'Source of the public keys. RSA keys have at least 2048 bits.' },
)

const BodyDigest = Type.Object(
  {
    claim: name('Claim with the digest.'),
    algorithm: choice(['sha256', 'sha512'], 'Hash algorithm.'),
    encoding: choice(['hex', 'base64'], 'Encoding of the digest.'),
  },
  { ...strict, description: 'Digest of the body. Without it, a token would be valid for any body.' },
)

const signatureHeader = 'Header with the signature, or with the token, with or without `Bearer`.'

/** Where a signature is, and what it signs. */
const signature = {
  encoding: choice(['hex', 'base64'], 'Encoding of the signature.'),
  header: Type.Optional(name(signatureHeader)),
  prefix: Type.Optional(text('Text before each signature, such as `sha256=`. Values without it are ignored.')),
  separator: Type.Optional(
    text(
      'Text between several signatures, of which one must be valid. With `field`: text between the pairs. Default: `,`.',
    ),
  ),
  signedText: Type.Optional(
    template(
      'Signed text: a template of `body`, `sortedForm` (the fields of a form by name, without separators), `timestamp` (as sent), `method`, `url`, `header.NAME`, `payload.PATH` (a value in the body). Also `bodyCrc32` (CRC-32, decimal) and `registration` (the provider’s id of the webhook). Default: `{{body}}`.',
    ),
  ),
  signedParts: Type.Optional(
    Type.Array(template('A template with the variables of `signedText`.'), {
      minItems: 1,
      maxItems: 20,
      description:
        'In place of `signedText`: templates, one after the other. Without a value, one is left out. Only values of the first may contain line breaks.',
    }),
  ),
  timestamp: Type.Optional(Timestamp),
}

const signatureInBody = path('Path of the signature in the body. It cannot sign the body.')

const Sender = Type.Object(
  {
    at: path('Path of the name in the body. It must be signed.'),
    name: name('Name of the value in `providerMetadata` of the connection.'),
  },
  {
    ...strict,
    description: 'For keys that sign for all customers: who must have sent the request. Others are refused.',
  },
)

export const Verification = tagged(
  'by',
  [
    Type.Object(
      {
        by: Type.Unsafe<'hmac'>({ const: 'hmac', description: 'An HMAC of the request (RFC 2104).' }),
        algorithm: choice(['sha1', 'sha256', 'sha512'], 'Hash algorithm.'),
        ...signature,
        body: Type.Optional(signatureInBody),
        nonce: Type.Optional(
          path(
            'Path of a signed value that no two requests share. Events of a request that repeats it are dropped. For signatures that do not cover the events.',
          ),
        ),
        field: Type.Optional(name('Name of the signature in pairs such as `t=1,v1=…`. It may occur several times.')),
        secret: Secret,
      },
      { ...strict, title: 'hmac' },
    ),
    Type.Object(
      {
        by: Type.Unsafe<'token'>({ const: 'token', description: 'The secret itself, in a header or in the body.' }),
        header: Type.Optional(name('Name of the header.')),
        prefix: Type.Optional(text('Text before the secret.')),
        user: Type.Optional(
          name('User name, where the header is Basic authentication (RFC 7617) with the secret as password.'),
        ),
        body: Type.Optional(path('Path of the secret in the body, where no header has it.')),
        list: Type.Optional(path('With `body`: path of a list. `body` is then a path in each item.')),
        secret: Secret,
      },
      { ...strict, title: 'token' },
    ),
    Type.Object(
      {
        by: Type.Unsafe<'publicKey'>({
          const: 'publicKey',
          description: 'A signature with a private key of the provider.',
        }),
        algorithm: choice(
          ['ed25519', 'ecdsaSha256', 'rsaSha256'],
          '`ed25519` (RFC 8032), `ecdsaSha256` (P-256 and SHA-256 in DER), or `rsaSha256` (PKCS #1 v1.5 and SHA-256).',
        ),
        sha1When: Type.Optional(
          condition(
            'With `rsaSha256`: requests that are signed with SHA-1 still. For texts that end with what only the provider can choose.',
          ),
        ),
        ...signature,
        body: Type.Optional(signatureInBody),
        sender: Type.Optional(Sender),
        key: PublicKey,
      },
      { ...strict, title: 'publicKey' },
    ),
    Type.Object(
      {
        by: Type.Unsafe<'jwt'>({
          const: 'jwt',
          description: 'A JSON Web Token (RFC 7519) of the request, signed by the provider, with `exp`.',
        }),
        algorithm: choice(['RS256'], 'Signature algorithm. Tokens with another one are refused.'),
        header: name(signatureHeader),
        bodyDigest: BodyDigest,
        urlClaim: Type.Optional(name('Claim with the URL that received the request. It must be equal.')),
        toleranceSeconds: Type.Integer({
          minimum: 1,
          maximum: 10_000_000,
          description: 'Allowed clock difference for `exp`, in seconds.',
        }),
        key: PublicKey,
      },
      { ...strict, title: 'jwt' },
    ),
    Type.Object(
      {
        by: Type.Unsafe<'oidc'>({
          const: 'oidc',
          description:
            'An OpenID Connect token of the sender, such as Google Pub/Sub, for the URL that received the request. It does not cover the body: use it for events that say only that something changed.',
        }),
        header: name(signatureHeader),
        issuers: Type.Array(text('The claim `iss`.'), { minItems: 1, maxItems: 5, description: 'Accepted issuers.' }),
        email: name(
          'Name in `metadata.providerParams` of the provider app: the sender’s email address, as in the claim `email`, verified.',
        ),
        toleranceSeconds: Type.Integer({
          minimum: 1,
          maximum: 10_000_000,
          description: 'Allowed clock difference for `exp`, in seconds.',
        }),
        key: KeySet,
      },
      { ...strict, title: 'oidc' },
    ),
  ],
  'How signatures are verified. Requests without a valid signature are refused unread.',
)
export type Verification = Static<typeof Verification>

/** A signature with a key whose certificate each request names. */
export type CertifiedVerification = Extract<Verification, { by: 'publicKey' }>

/** A signature over a text of the request. */
export type SignedVerification = Extract<Verification, { by: 'hmac' | 'publicKey' }>

/** Whether each customer sets up the webhook at the provider and enters its secret. */
export function asksForSecret(verification: Verification): boolean {
  return keySource(verification).from === 'installation'
}

/** Where what verifies the requests comes from. */
export function keySource(
  verification: Verification,
): Static<typeof Secret> | Static<typeof PublicKey> | Static<typeof KeySet> {
  return 'key' in verification ? verification.key : verification.secret
}
