import { type Static, Type } from 'typebox'
import { choice, Match, map, name, strict, template, templates, text } from './vocabulary.ts'

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
    confirmsReads: Type.Optional(
      Type.Boolean({
        description:
          'The provider answers lists to strangers, too, as far as they may see them: each page of a read or a search counts only when this request, sent after it, shows that the credential still holds.',
      }),
    ),
  },
  { ...strict, description: 'A request that succeeds only with a good credential. One of `path` and `url`.' },
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
        'Templates; one that names a variable without a value is left out. `{each: filters, text: …}` stands for one part per item of a list, the item being `{{item}}`.',
    }),
    join: Type.Optional(text('What stands between two parts.')),
    before: Type.Optional(text('What stands before them, where there are any.')),
    after: Type.Optional(text('What stands behind them, where there are any.')),
    otherwise: Type.Optional(text('The value where no part is left; without this, the variable has none.')),
  },
  { ...strict, description: 'A variable composed of others.' },
)

export const Expressions = map(
  Expression,
  'Variables of this request that are composed of others, such as the conditions of a query language; each may name those before it.',
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
  method: Type.Optional(choice(['GET', 'POST', 'OPTIONS'], 'HTTP method; `GET` when absent.')),
  base: Type.Optional(
    template(
      'Base URL of a request to another host of the provider: `https://` and a host. The credential is sent there, too.',
    ),
  ),
  path: template('Path template below the base URL; begins with `/`. Variables are percent-encoded.'),
  query: Type.Optional(
    map(
      Type.Unsafe<QueryValue | QueryValue[]>({
        type: ['string', 'number', 'boolean', 'array', 'object'],
        format: 'template',
        items: { type: ['string', 'object'], format: 'template', ...conditional },
        ...conditional,
      }),
      'Query parameters: templates; a list makes the parameter come several times. One that names a variable without a value is left out. `{$when: since, is: updated_at}` is sent only when the variable has a value, `{$when: {since: {present: false}}, is: id}` only when it has none; `$when` means what it means in `body`.',
    ),
  ),
  queryEach: Type.Optional(
    Type.Array(
      Type.Object(
        {
          each: name('The list: `filters` (`{{item.field}}`, `{{item.value}}`) or another variable that is a list.'),
          name: template('Template of the parameter’s name; the item is `{{item}}`.'),
          value: template('Template of its value.'),
        },
        strict,
      ),
      { description: 'Query parameters made of lists: one for each item.' },
    ),
  ),
  expressions: Type.Optional(Expressions),
  headers: Type.Optional(templates('Request headers: templates, left out like query parameters.')),
  body: Type.Optional(
    Type.Unknown({
      description:
        'JSON body. Texts in it are templates; `{$value: name}` puts a variable with its type; an object with `$when: name` is left out unless the variable has a value, one with `$when: {fields: content}` unless the variable is that, or is a list that holds it; what names a variable without a value is left out, and so is a list or object of which nothing is left, but not an object with `$keep: true`. `{$each: filters, $item: …}` makes a list with one part per item of a list; inside a list it is spread into it. `{$spread: name, …}` has the keys of that variable besides its own. Keys are templates, too.',
    }),
  ),
}

const Request = Type.Object(request, strict)
export type Request = Static<typeof Request>
