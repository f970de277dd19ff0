import { type AppParam, type Authentication, isOptionalInput, type MetadataInput } from '@mortise/providers'
import type { ProviderInfo } from './model.ts'
import { clientTemplate, clientTemplates } from './templates.ts'

type Options = Pick<ProviderInfo, 'oauth2Opts' | 'apiKeyOpts' | 'basicOpts' | 'customOpts'>
type Scheme<S extends Authentication['scheme']> = Extract<Authentication, { scheme: S }>

/** Returns one block for each authentication method. Of two methods of one kind, the preferred one counts. */
export function authOptions(schemes: readonly Authentication[]): Options {
  const options: Options = {}
  for (const scheme of schemes) {
    if (scheme.scheme === 'oauth2') options.oauth2Opts ??= oauth2(scheme)
    if (scheme.scheme === 'apiKey') options.apiKeyOpts ??= apiKey(scheme)
    if (scheme.scheme === 'basic') options.basicOpts ??= basic(scheme)
    if (scheme.scheme === 'custom') options.customOpts ??= custom(scheme)
  }
  return options
}

function oauth2(scheme: Scheme<'oauth2'>): NonNullable<Options['oauth2Opts']> {
  const { authUrl, tokenUrl, audience, scopeMappings, authUrlParams, tokenHeader, keepAliveIntervalHours, docsUrl } =
    scheme
  const { workspaceRef, consumerRef, scopes, others } = scheme.tokenMetadataFields ?? {}
  return {
    grantType: scheme.grantType ?? 'authorizationCode',
    ...(scheme.discover !== undefined && { discover: scheme.discover }),
    ...(authUrl !== undefined && { authURL: clientTemplate(authUrl) }),
    tokenURL: clientTemplate(tokenUrl ?? ''),
    explicitScopesRequired: scheme.scopesRequired ?? false,
    explicitWorkspaceRequired: scheme.workspaceRequired ?? false,
    tokenMetadataFields: {
      ...(workspaceRef !== undefined && { workspaceRefField: pathOf(workspaceRef) }),
      ...(consumerRef !== undefined && { consumerRefField: pathOf(consumerRef) }),
      ...(scopes !== undefined && { scopesField: pathOf(scopes) }),
      ...(others && {
        otherFields: others.map((field) => ({ ...field, displayName: field.displayName ?? field.name })),
      }),
    },
    ...(audience && { audience: [...audience] }),
    ...(scopeMappings && { scopeMappings: clientTemplates(scopeMappings) }),
    ...(authUrlParams && { authURLParams: authUrlParams }),
    ...(tokenHeader && {
      accessTokenOpts: {
        attachmentType: 'accessTokenHeaderAttachment',
        header: headerOf(tokenHeader.name, tokenHeader.prefix),
      },
    }),
    ...(keepAliveIntervalHours !== undefined && { keepAliveIntervalHours }),
    ...docs(docsUrl),
  }
}

function pathOf(field: string | { path: string }): string {
  return typeof field === 'string' ? field : field.path
}

function apiKey({ attach, name, prefix, docsUrl }: Scheme<'apiKey'>): NonNullable<Options['apiKeyOpts']> {
  if (attach === 'query') return { attachmentType: 'query', query: { name: name ?? 'api_key' }, ...docs(docsUrl) }
  // The interface has no term for a key inside HTTP Basic: the key goes into that header.
  const header = attach === 'basic' ? headerOf('Authorization', 'Basic ') : headerOf(name ?? 'Authorization', prefix)
  return { attachmentType: 'header', header, ...docs(docsUrl) }
}

function basic({ apiKeyAsBasic, docsUrl }: Scheme<'basic'>): NonNullable<Options['basicOpts']> {
  return { ...(apiKeyAsBasic !== undefined && { apiKeyAsBasic }), ...docs(docsUrl) }
}

function custom(scheme: Scheme<'custom'>): NonNullable<Options['customOpts']> {
  const { headers, query, inputs, appInputs, multiStep } = scheme
  return {
    ...(headers && { headers: valueTemplates(headers) }),
    ...(query && { queryParams: valueTemplates(query) }),
    ...(inputs && { inputs: inputs.map(customInput) }),
    ...(appInputs && { providerInputs: appInputs.map(customInput) }),
    ...(multiStep !== undefined && { multiStep }),
  }
}

type CustomInput = NonNullable<NonNullable<Options['customOpts']>['inputs']>[number]

const fieldTypes = { text: 'fieldTypeText', secret: 'fieldTypePassword', select: 'fieldTypeSelect' } as const

/**
 * Converts an input to the field of a form. Field types that clients do not support are left out, and clients then show
 * a secret field.
 */
function customInput(input: NonNullable<Scheme<'custom'>['inputs']>[number]): CustomInput {
  const { name, displayName = name, prompt, docsUrl, fieldType, options } = input
  return {
    name,
    displayName,
    ...(prompt !== undefined && { prompt }),
    ...docs(docsUrl),
    ...(fieldType !== undefined &&
      Object.hasOwn(fieldTypes, fieldType) && { fieldType: fieldTypes[fieldType as keyof typeof fieldTypes] }),
    ...(options && { options: options.map(({ value, label }) => ({ value, label })) }),
  }
}

type MetadataItem = NonNullable<NonNullable<ProviderInfo['metadata']>['input']>[number]

/** Converts a metadata input to the field of a form. */
export function metadataItem(input: MetadataInput): MetadataItem {
  const { name, displayName, prompt, docsUrl } = input
  return {
    name,
    ...(displayName !== undefined && { displayName }),
    ...(prompt !== undefined && { prompt }),
    ...(input.default !== undefined && { defaultValue: input.default }),
    ...(isOptionalInput(input) && { optional: true }),
    ...docs(docsUrl),
    ...moduleDependencies(input.modules),
  }
}

/** Converts a setting of provider apps to the field of a form. */
export function appParamItem({
  name,
  displayName,
  prompt,
  docsUrl,
  secret,
  required,
  modules,
  use,
  default: defaultValue,
}: AppParam): MetadataItem {
  return {
    name,
    ...(displayName !== undefined && { displayName }),
    ...(prompt !== undefined && { prompt }),
    ...(defaultValue !== undefined && { defaultValue }),
    ...((use === 'optional' || use === 'objects') && { optional: true }),
    ...docs(docsUrl),
    ...(secret !== undefined && { secret }),
    ...(required !== undefined && { required }),
    ...moduleDependencies(modules),
  }
}

export function moduleDependencies(modules: readonly string[] | undefined): Pick<MetadataItem, 'moduleDependencies'> {
  return modules ? { moduleDependencies: Object.fromEntries(modules.map((id) => [id, {}])) } : {}
}

function headerOf(name: string, prefix: string | undefined): { name: string; valuePrefix?: string } {
  return { name, ...(prefix !== undefined && prefix !== '' && { valuePrefix: prefix }) }
}

function docs(docsUrl: string | undefined): { docsURL?: string } {
  return docsUrl === undefined ? {} : { docsURL: docsUrl }
}

function valueTemplates(map: Record<string, string>): { name: string; valueTemplate: string }[] {
  return Object.entries(map).map(([name, text]) => ({ name, valueTemplate: clientTemplate(text) }))
}
