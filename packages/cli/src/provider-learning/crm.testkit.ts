/** An OpenAPI document of a small CRM, with a list for each kind of paging. */
const json = (schema: object, headers?: object) => ({
  200: { ...(headers && { headers }), content: { 'application/json': { schema } } },
})
const parameter = (name: string, schema: object = { type: 'string' }, more: object = {}) => ({
  in: 'query',
  name,
  schema,
  ...more,
})
const list = (parameters: object[], schema: object, headers?: object) => ({
  get: { parameters, responses: json(schema, headers) },
})
const array = (items: object) => ({ type: 'array', items })
const object = (properties: object) => ({ type: 'object', properties })
const text = { type: 'string' }
const time = { type: 'string', format: 'date-time' }
const contact = { $ref: '#/components/schemas/Contact' }
const thing = object({ id: text, name: text })

export const crm = {
  openapi: '3.0.3',
  info: { title: 'Small CRM', version: '2' },
  servers: [
    {
      url: 'https://{region}.crm.example.com/{version}',
      variables: { region: { default: 'eu', enum: ['eu', 'us'] }, version: { default: 'v2' } },
    },
  ],
  security: [{ oauth: ['read'] }],
  components: {
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
      token: { type: 'http', scheme: 'bearer' },
      login: { type: 'http', scheme: 'basic' },
      session: { type: 'apiKey', in: 'cookie', name: 'sid' },
      oauth: {
        type: 'oauth2',
        flows: {
          authorizationCode: {
            authorizationUrl: 'https://crm.example.com/authorize',
            tokenUrl: 'https://crm.example.com/token',
            scopes: { read: 'Read records' },
          },
        },
      },
    },
    schemas: {
      Contact: {
        allOf: [
          object({ id: { type: 'string', readOnly: true }, email: text }),
          object({
            stage: { type: 'string', enum: ['lead', 'customer'] },
            score: { type: 'number' },
            visits: { type: ['integer', 'null'] },
            active: { type: 'boolean' },
            born: { type: 'string', format: 'date' },
            updated_at: time,
            tags: array(text),
          }),
        ],
      },
      NewContact: { ...object({ email: text, stage: text }), required: ['email'] },
    },
  },
  paths: {
    '/me': { get: { responses: json(thing) } },
    '/contacts': {
      ...list(
        [
          parameter('limit', { type: 'integer', maximum: 250 }),
          parameter('cursor'),
          parameter('updated_since', time),
          parameter('updated_until', time),
        ],
        object({ data: array(contact), meta: object({ next_cursor: text, total: { type: 'integer' } }) }),
      ),
      post: {
        requestBody: {
          content: { 'application/json': { schema: object({ contact: { $ref: '#/components/schemas/NewContact' } }) } },
        },
        responses: { 201: json(object({ contact }))[200] },
      },
    },
    '/contacts/{contact_id}': {
      get: { responses: json(object({ contact })) },
      patch: {
        requestBody: { content: { 'application/json': { schema: contact } } },
        responses: json(object({ contact })),
      },
      delete: { responses: { 204: {} } },
    },
    '/companies': list(
      [
        parameter('page', { type: 'integer', minimum: 0 }),
        parameter('per_page', { type: 'integer' }, { description: 'Results per page (max 50).' }),
      ],
      array(object({ uuid: text, name: text, modifiedAt: time })),
    ),
    '/companies/{uuid}': {
      get: { responses: json(thing) },
      put: {
        requestBody: { content: { 'application/x-www-form-urlencoded': { schema: thing } } },
        responses: json(thing),
      },
    },
    '/companies/{uuid}/members': list([], array(thing)),
    '/regions/{region}/offices': list([], array(thing)),
    '/deals': list([parameter('limit')], object({ deals: array(thing), links: object({ next: text, prev: text }) })),
    '/events': list(
      [parameter('starting_after'), parameter('limit', { type: 'integer', maximum: 100 })],
      object({ data: array(thing), has_more: { type: 'boolean' } }),
    ),
    '/notes': list([], array(thing), { Link: {} }),
    '/tasks': list([parameter('start', { type: 'integer' })], object({ items: array(thing) })),
    '/tags': list([parameter('color'), parameter('sort')], array(object({ label: text }))),
    '/reports': list([parameter('quarter', text, { required: true })], array(thing)),
  },
}
