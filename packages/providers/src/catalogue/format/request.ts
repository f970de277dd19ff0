import { type Static, Type } from 'typebox'
import { choice, Match, map, name, strict, template, templates, text } from './vocabulary.ts'

export const HealthCheck = Type.Object(
  {
    method: Type.Optional(name('Default: `GET`.')),
    path: Type.Optional(template('Path below the base URL, with its query.')),
    url: Type.Optional(template('Complete URL, for a request to another host than the base URL.')),
    successStatusCodes: Type.Optional(
      Type.Array(Type.Integer({ minimum: 200, maximum: 299 }), {
        description: 'Statuses of success. Default: 200 and 204.',
      }),
    ),
    confirmsReads: Type.Optional(
      Type.Boolean({
        description:
          'The provider answers lists without a valid credential. This request then follows each page, which is discarded if the credential is refused.',
      }),
    ),
  },
  { ...strict, description: 'A request that succeeds only with a valid credential. It has `path` or `url`.' },
)
export type HealthCheck = Static<typeof HealthCheck>

const ExpressionPart = Type.Unsafe<string | { each: string; text: string }>({
  type: ['string', 'object'],
  format: 'template',
  properties: { each: { type: 'string' }, text: { type: 'string', format: 'template' } },
  required: ['each', 'text'],
  additionalProperties: false,
})

export const Expression = Type.Object(
  {
    parts: Type.Array(ExpressionPart, {
      description:
        'Templates. Without a value, one is left out. `{each: filters, text: …}` is one part per `{{item}}` of a list.',
    }),
    join: Type.Optional(text('Separator between the parts.')),
    before: Type.Optional(text('Text before or after the parts, if there are any.')),
    after: Type.Optional(text('Text before or after the parts, if there are any.')),
    otherwise: Type.Optional(text('Value when no part is left. Default: no value.')),
  },
  { ...strict, description: 'A variable made from other variables.' },
)

export const Expressions = map(
  Expression,
  'Variables made from other variables, such as the conditions of a query language. Each may use earlier ones.',
)
export type Expressions = Static<typeof Expressions>

/** A value of a query parameter: a template, or one that is sent only on a condition. */
export type QueryValue = string | number | boolean | { $when: string | Match; is: string | number | boolean }

const conditional = {
  properties: {
    $when: {
      type: ['string', 'object'],
      minProperties: 1,
      patternProperties: (Match as { patternProperties?: object }).patternProperties,
    },
    is: { type: ['string', 'number', 'boolean'], format: 'template' },
  },
  required: ['$when', 'is'],
  additionalProperties: false,
}

export const request = {
  method: Type.Optional(choice(['GET', 'POST', 'OPTIONS'], 'Default: `GET`.')),
  base: Type.Optional(
    template('Base URL of another host of the provider, with `https://`. The request carries the credential.'),
  ),
  path: template('Path below the base URL, starting with `/`. Variables are percent-encoded.'),
  query: Type.Optional(
    map(
      Type.Unsafe<QueryValue | QueryValue[]>({
        type: ['string', 'number', 'boolean', 'array', 'object'],
        format: 'template',
        items: { type: ['string', 'object'], format: 'template', ...conditional },
        ...conditional,
      }),
      'Query parameters. A list repeats one. Without a value, it is left out. `{$when: since, is: updated_at}` is sent only with a value of `since`; `$when` is as in `body`.',
    ),
  ),
  queryEach: Type.Optional(
    Type.Array(
      Type.Object(
        {
          each: name('The list: `filters` (`{{item.field}}`, `{{item.value}}`) or another list.'),
          name: template('Name of the parameter; `{{item}}` is the item.'),
          value: template('Value of the parameter.'),
        },
        strict,
      ),
      { description: 'Query parameters made from a list, one per item.' },
    ),
  ),
  expressions: Type.Optional(Expressions),
  format: Type.Optional(
    choice(
      ['json', 'ndjson', 'csv', 'xml'],
      'Format of the response: `json` (default), `ndjson` (a list of lines), `csv` (rows, by the names of the first line), or `xml` (elements by name, attributes as `@name`).',
    ),
  ),
  encoding: Type.Optional(
    choice(['json', 'form'], 'Format of the body: `json` (default) or `form` (`a[b]=1&c[0]=2`).'),
  ),
  headers: Type.Optional(templates('Request headers. One whose variable has no value is left out.')),
  body: Type.Optional(
    Type.Unknown({
      description:
        'JSON body. Texts and keys are templates; `$value`, `$when`, `$keep`, `$each`, `$item`, `$key`, `$spread`, `$row` and `$of` are [described in the guide](provider-files.md#requests).',
    }),
  ),
}

export const Request = Type.Object(request, strict)
export type Request = Static<typeof Request>
