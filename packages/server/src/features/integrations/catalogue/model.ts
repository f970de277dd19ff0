import { type Static, Type } from 'typebox'
import { Enum, MapOf, named } from '../../../kernel/http/index.ts'
import { testedParts } from './tested-parts.ts'

/** Schemas of a provider in the catalog (contract 3.15). */

const text = (description: string) => Type.String({ description })
const flag = (description: string) => Type.Boolean({ description })
const optionalText = (description: string) => Type.Optional(text(description))
const docsURL = optionalText('The provider’s page about it.')

const batchOperation = (what: string) =>
  Type.Object(
    {
      supported: flag('Whether some objects can.'),
      defaultRecordLimit: Type.Optional(Type.Integer({ description: 'Records of one request at most.' })),
    },
    { description: `Batches that ${what}.` },
  )

const Support = named(
  'ProviderSupport',
  Type.Object(
    {
      bulkWrite: Type.Object(
        {
          insert: flag('Insert in bulk.'),
          update: flag('Update in bulk.'),
          upsert: flag('Upsert in bulk.'),
          delete: flag('Delete in bulk.'),
        },
        { description: 'Writing through the provider’s bulk interface, which Mortise does not use: always false.' },
      ),
      proxy: flag('Can pass your own requests through.'),
      read: flag('Records can be read.'),
      subscribe: flag('Changes can be subscribed to.'),
      write: flag('Records can be written.'),
      delete: flag('Records can be deleted.'),
      search: Type.Object(
        { operators: Type.Object({ equals: flag('Equality.') }, { description: 'Operators of a search.' }) },
        { description: 'Searching.' },
      ),
      subscribeSupport: Type.Optional(
        Type.Object(
          {
            create: flag('New records.'),
            update: flag('Changed records.'),
            delete: flag('Deleted records.'),
            passThrough: flag('Other events, by the provider’s names for them (`otherEvents`).'),
          },
          {
            description:
              'Which changes can be subscribed to: of some objects at least, as this release subscribes to them. Absent where it does not.',
          },
        ),
      ),
      batchWrite: Type.Optional(
        Type.Object(
          {
            create: batchOperation('create'),
            update: batchOperation('update'),
            upsert: batchOperation('upsert'),
            delete: batchOperation('delete'),
          },
          { description: 'Writing several records in one request.' },
        ),
      ),
    },
    {
      description:
        'What Mortise can do at the provider, or in the module. It follows from the provider file: what the file does not describe is false.',
    },
  ),
)

const Implemented = named(
  'ImplementedCapabilities',
  Type.Object(
    {
      read: flag('Read.'),
      write: flag('Write.'),
      delete: flag('Delete.'),
      proxy: flag('Proxy.'),
      subscribe: flag('Subscribe.'),
      search: flag('Search.'),
    },
    { description: 'Extension: the same flags as in `support`, in one object.' },
  ),
)

const SubscribeRequirements = named(
  'SubscribeRequirements',
  Type.Object(
    {
      registration: Type.Optional(flag('Something is registered at the provider first.')),
      maintenance: Type.Optional(flag('Subscriptions end and are renewed.')),
      postProcess: Type.Optional(flag('Events are completed after they came.')),
      subscribeByAPI: Type.Optional(flag('Subscriptions are made through the provider’s API.')),
    },
    { description: 'Requirements of subscriptions.' },
  ),
)

const MetadataItemInput = named(
  'MetadataItemInput',
  Type.Object({
    name: text('Name of the value.'),
    displayName: optionalText('Label in forms.'),
    prompt: optionalText('Help next to the field.'),
    defaultValue: optionalText('Used when none is given.'),
    optional: Type.Optional(Type.Boolean({ description: 'Extension: accounts can be connected without it.' })),
    docsURL,
    secret: Type.Optional(flag('Extension: the value of a provider app is encrypted and never shown again.')),
    required: Type.Optional(Type.Boolean({ description: 'Extension: every provider app needs the value.' })),
    moduleDependencies: Type.Optional(
      MapOf(Type.Object({}), { description: 'Modules that need it; all modules when absent.' }),
    ),
  }),
)

const Header = Type.Object(
  { name: text('Name of the header.'), valuePrefix: optionalText('Text before the value.') },
  { description: 'The header that it is sent in.' },
)

const Oauth2Opts = named(
  'Oauth2Opts',
  Type.Object(
    {
      grantType: Enum(['authorizationCode', 'authorizationCodePKCE', 'clientCredentials', 'password'], {
        description: 'How tokens are obtained.',
      }),
      discover: Type.Optional(
        Enum(['mcp'], {
          description:
            'Where the authorization server is looked up when an account is connected: at the MCP server of the provider. Then no provider app is needed, and `tokenURL` is empty.',
        }),
      ),
      authURL: optionalText('Authorization endpoint.'),
      tokenURL: text('Token endpoint.'),
      explicitScopesRequired: flag('Scopes must be requested.'),
      explicitWorkspaceRequired: flag('The customer names a workspace first.'),
      tokenMetadataFields: Type.Object(
        {
          workspaceRefField: optionalText('Key of the workspace.'),
          consumerRefField: optionalText('Key of the person.'),
          scopesField: optionalText('Key of the scopes.'),
          otherFields: Type.Optional(
            Type.Array(
              Type.Object({
                name: text('Key in `providerMetadata` of the connection.'),
                displayName: text('Label.'),
                path: text('Path in the token response.'),
                capture: optionalText('Regular expression whose group `result` is the part that is kept.'),
              }),
              { description: 'Further values that are kept.' },
            ),
          ),
        },
        { description: 'Keys of the token response that are kept.' },
      ),
      audience: Type.Optional(Type.Array(Type.String(), { description: '`audience` of the request.' })),
      scopeMappings: Type.Optional(MapOf(Type.String(), { description: 'Scope templates by scope.' })),
      authURLParams: Type.Optional(
        MapOf(Type.String(), { description: 'Further parameters of the authorization URL.' }),
      ),
      accessTokenOpts: Type.Optional(
        Type.Object(
          {
            attachmentType: Enum(['accessTokenHeaderAttachment'], { description: 'How it is attached.' }),
            header: Type.Optional(Header),
          },
          { description: 'Where the access token goes when not `Authorization: Bearer`.' },
        ),
      ),
      keepAliveIntervalHours: Type.Optional(
        Type.Integer({ description: 'How often unused tokens are renewed; every 24 hours when absent.' }),
      ),
      docsURL,
    },
    { description: 'OAuth 2.0.' },
  ),
)

const ApiKeyOpts = named(
  'ApiKeyOpts',
  Type.Object(
    {
      attachmentType: Enum(['query', 'header'], { description: 'Where the key goes.' }),
      query: Type.Optional(Type.Object({ name: text('Name of the parameter.') }, { description: 'As a parameter.' })),
      header: Type.Optional(Header),
      docsURL,
    },
    { description: 'An API key.' },
  ),
)

const BasicAuthOpts = named(
  'BasicAuthOpts',
  Type.Object(
    {
      apiKeyAsBasic: Type.Optional(flag('User name, password or both are a key.')),
      docsURL,
    },
    { description: 'User name and password.' },
  ),
)

const CustomAuthInput = named(
  'CustomAuthInput',
  Type.Object({
    name: text('Key in `customAuth`.'),
    displayName: text('Label in forms.'),
    prompt: optionalText('Help next to the field.'),
    docsURL,
    fieldType: Type.Optional(
      Enum(['fieldTypeText', 'fieldTypePassword', 'fieldTypeSelect'], {
        description: 'Kind of field; a password when absent.',
      }),
    ),
    options: Type.Optional(
      Type.Array(
        Type.Object({ value: text('What is sent.'), label: text('What is shown.') }, { description: 'One choice.' }),
        { description: 'The choices of a select.' },
      ),
    ),
  }),
)

const valueTemplates = (description: string) =>
  Type.Optional(
    Type.Array(
      Type.Object({ name: text('Name.'), valueTemplate: text('Template over the inputs.') }, { description: 'One.' }),
      { description },
    ),
  )

const CustomAuthOpts = named(
  'CustomAuthOpts',
  Type.Object(
    {
      headers: valueTemplates('Headers of requests.'),
      queryParams: valueTemplates('Query parameters of requests.'),
      inputs: Type.Optional(Type.Array(CustomAuthInput, { description: 'What each customer gives.' })),
      providerInputs: Type.Optional(Type.Array(CustomAuthInput, { description: 'What the provider app gives.' })),
      multiStep: Type.Optional(flag('Needs multi-step authentication.')),
    },
    { description: 'Custom authentication.' },
  ),
)

const needs = (description: string) =>
  Type.Optional(
    Type.Array(Type.Array(Type.String(), { description: 'Scopes of which one is enough.' }), { description }),
  )

const ObjectScopes = MapOf(
  named(
    'ObjectScopes',
    Type.Object(
      {
        read: needs('To read records.'),
        write: needs('To create and update records.'),
        delete: needs('To delete records.'),
        subscribe: needs('To subscribe to changes.'),
      },
      { description: 'What an action needs: one scope of each list. Not known for an action that is absent.' },
    ),
  ),
  {
    description:
      'Extension: OAuth scopes that objects need, by object. `*` stands for objects that are not named. Absent where nothing is known.',
  },
)

const ModuleInfo = named(
  'ModuleInfo',
  Type.Object({
    displayName: text('Name for people.'),
    baseURL: text('Base URL of the module.'),
    support: Support,
    implemented: Implemented,
    subscribeRequirements: Type.Optional(SubscribeRequirements),
    objectScopes: Type.Optional(ObjectScopes),
  }),
)

export const ProviderInfo = named(
  'ProviderInfo',
  Type.Object({
    name: text('Name, as manifests and connections use it.'),
    displayName: optionalText('Name for people.'),
    authType: Enum(['oauth2', 'apiKey', 'basic', 'jwt', 'custom', 'none'], {
      description: 'How accounts authenticate. If there are several methods, the preferred one.',
    }),
    baseURL: text('Base URL; `{{.name}}` stands for a value of the connection.'),
    defaultModule: text('The module that is used when none is named; empty where there are no modules.'),
    support: Support,
    implemented: Implemented,
    oauth2Opts: Type.Optional(Oauth2Opts),
    apiKeyOpts: Type.Optional(ApiKeyOpts),
    basicOpts: Type.Optional(BasicAuthOpts),
    customOpts: Type.Optional(CustomAuthOpts),
    schemes: Type.Array(
      Type.Object(
        {
          name: text('What `schemeName` of a request to connect chooses it by.'),
          type: Enum(['oauth2', 'apiKey', 'basic', 'custom', 'none'], { description: 'What kind it is.' }),
          oauth2Opts: Type.Optional(Oauth2Opts),
          apiKeyOpts: Type.Optional(ApiKeyOpts),
          basicOpts: Type.Optional(BasicAuthOpts),
          customOpts: Type.Optional(CustomAuthOpts),
        },
        { description: 'One way to authenticate.' },
      ),
      { description: 'All ways to authenticate, the preferred one first.' },
    ),
    authHealthCheck: Type.Optional(
      Type.Object(
        {
          url: text('What is asked.'),
          method: optionalText('HTTP method; GET when absent.'),
          successStatusCodes: Type.Optional(
            Type.Array(Type.Integer(), { description: 'Good answers; 200 and 204 when absent.' }),
          ),
        },
        { description: 'How a credential is checked.' },
      ),
    ),
    postAuthInfoNeeded: Type.Optional(flag('Mortise requests more from the provider after authentication.')),
    subscribeRequirements: Type.Optional(SubscribeRequirements),
    modules: Type.Optional(MapOf(ModuleInfo, { description: 'Parts of the provider, by id.' })),
    metadata: Type.Optional(
      Type.Object(
        {
          input: Type.Optional(Type.Array(MetadataItemInput, { description: 'What each customer gives.' })),
          postAuthentication: Type.Optional(
            Type.Array(
              Type.Object({
                name: text('Name of the value.'),
                moduleDependencies: Type.Optional(
                  MapOf(Type.Object({}), { description: 'Modules that need it; all modules when absent.' }),
                ),
              }),
              { description: 'Values that the provider returns after authentication.' },
            ),
          ),
        },
        { description: 'Values in `providerMetadata` of a connection.' },
      ),
    ),
    providerAppMetadata: Type.Optional(
      Type.Object(
        {
          authQueryParams: Type.Optional(Type.Array(MetadataItemInput, { description: 'For the authorization URL.' })),
          providerParams: Type.Optional(Type.Array(MetadataItemInput, { description: 'For this provider only.' })),
        },
        { description: 'Values that a provider app can have in `metadata`.' },
      ),
    ),
    labels: Type.Optional(MapOf(Type.String(), { description: 'Labels.' })),
    objectScopes: Type.Optional(ObjectScopes),
    confidence: Type.Optional(
      Enum(['agreed', 'single'], {
        description:
          'Extension: how sure an entry is that was neither tested nor compared. `agreed`: two independent sources say the same. `single`: one source says it.',
      }),
    ),
    ...testedParts,
    providerOpts: MapOf(Type.String(), { description: 'Always empty. Older clients require it.' }),
  }),
)
export type ProviderInfo = Static<typeof ProviderInfo>

export const ProviderFileFaults = named(
  'ProviderFileFaults',
  Type.Object(
    {
      results: Type.Array(
        Type.Object({
          file: text('Name of the file, without its folder.'),
          provider: text('Name of the provider that the file would describe.'),
          line: Type.Integer({ description: 'Counted from 1.' }),
          column: Type.Integer({ description: 'Counted from 1.' }),
          path: text('Path in the file, such as `objects.contacts.read.path`; empty for the whole file.'),
          message: text('What is wrong, and what to write instead.'),
          inUse: Enum(['user', 'builtIn', 'none'], {
            description:
              'What the service uses meanwhile: the last good version of the file, the built-in file of its name, or nothing.',
          }),
        }),
        { description: 'All errors of all files; empty when every file is in use.' },
      ),
    },
    { description: 'Errors of provider files.' },
  ),
)

export const CatalogType = named('CatalogType', MapOf(ProviderInfo, { description: 'List all providers, by name.' }))
