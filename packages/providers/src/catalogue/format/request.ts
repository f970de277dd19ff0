import { type Static, Type } from 'typebox'
import { choice, map, name, strict, template, templates } from './vocabulary.ts'

export const HealthCheck = Type.Object(
  {
    method: Type.Optional(name('HTTP method; `GET` when absent.')),
    path: Type.Optional(template('Path below the base URL, with its query.')),
    url: Type.Optional(template('Whole URL, where the question is answered on another host than the base URL.')),
    successStatusCodes: Type.Optional(
      Type.Array(Type.Integer({ minimum: 200, maximum: 299 }), {
        description: 'Good answers; 200 and 204 when absent.',
      }),
    ),
  },
  { ...strict, description: 'A request that succeeds only with a good credential. One of `path` and `url`.' },
)
export type HealthCheck = Static<typeof HealthCheck>

export const request = {
  method: Type.Optional(choice(['GET', 'POST', 'OPTIONS'], 'HTTP method; `GET` when absent.')),
  path: template('Path template below the base URL; begins with `/`. Variables are percent-encoded.'),
  query: Type.Optional(
    map(
      Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'], format: 'template' }),
      'Query parameters: templates. A parameter that names a variable without a value is left out.',
    ),
  ),
  headers: Type.Optional(templates('Request headers: templates, left out like query parameters.')),
  body: Type.Optional(
    Type.Unknown({
      description:
        'JSON body. Texts in it are templates; `{$value: name}` puts a variable with its type; an object with `$when: name` is left out unless the variable has a value; what names a variable without a value is left out, and so is a list or object of which nothing is left.',
    }),
  ),
}

const Request = Type.Object(request, strict)
export type Request = Static<typeof Request>
