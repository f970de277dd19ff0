import type { Input } from '@mortise/client'
import { type FormEvent, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { CheckField, FormProblem, issueOf, TextArea, TextField } from '../../parts/fields.tsx'
import { useChange } from '../../session/data.ts'
import { DocsLink } from './authentication-card.tsx'
import { isSecretName, isSelfHosted, knownScopes, type Provider, type ProviderApp, usesBrowserApp } from './provider.ts'

interface Values {
  clientId: string
  clientSecret: string
  scopes: string[]
  moreScopes: string
  externalRef: string
  allowedHosts: string
  params: Record<string, string>
  query: Record<string, string>
}

/** Adds an app, or changes one. A secret that stays empty is kept. */
export function AppForm({
  provider,
  apps,
  app,
  onClose,
}: {
  provider: Provider
  apps: ProviderApp[]
  app: ProviderApp | undefined
  onClose: () => void
}) {
  const [values, setValues] = useState(() => valuesOf(app))
  const set = (change: Partial<Values>) => setValues((before) => ({ ...before, ...change }))
  const options = { refreshes: ['listProviderApps' as const], showsProblem: false, onDone: onClose }
  const creation = useChange('createProviderApp', { ...options, done: 'App added' })
  const update = useChange('updateProviderApp', { ...options, done: 'App saved' })
  const error = app ? update.error : creation.error
  function submit(event: FormEvent) {
    event.preventDefault()
    if (app) update.mutate({ providerAppId: app.id, body: changeOf(app, provider, values) })
    else creation.mutate({ body: newAppOf(provider, values) })
  }
  return (
    <form className="form" onSubmit={submit}>
      <TextField
        label="Client id"
        required
        value={values.clientId}
        error={issueOf(error, 'clientId')}
        onChange={(event) => set({ clientId: event.target.value })}
      />
      <SecretField
        label="Client secret"
        isKept={app !== undefined}
        value={values.clientSecret}
        error={issueOf(error, 'clientSecret')}
        onChange={(clientSecret) => set({ clientSecret })}
      />
      {provider.schemes.some(usesBrowserApp) && (
        <Scopes
          known={knownScopes(provider, apps)}
          values={values}
          set={set}
          isRequired={provider.schemes.some(({ oauth2Opts }) => oauth2Opts?.explicitScopesRequired)}
          error={issueOf(error, 'scopes')}
        />
      )}
      <MetadataFields provider={provider} values={values} set={set} app={app} error={error} />
      <TextField
        label="Name or id at the provider"
        optional
        help="Only for you: what the provider calls the app."
        value={values.externalRef}
        onChange={(event) => set({ externalRef: event.target.value })}
      />
      {isSelfHosted(provider) && (
        <TextArea
          label="Allowed hosts"
          optional
          help="Hosts of customers who run the provider themselves, one a line: git.acme.com, or *.acme.com. The secret is sent to no other. Enter it again with a further host."
          value={values.allowedHosts}
          error={issueOf(error, 'allowedHosts[0]')}
          onChange={(event) => set({ allowedHosts: event.target.value })}
        />
      )}
      <FormProblem error={error} labels={{ allowedHosts: 'Allowed hosts' }} />
      <div className="row">
        <Button type="submit" look="primary" busy={creation.isPending || update.isPending}>
          {app ? 'Save app' : 'Add app'}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  )
}

function SecretField({
  label,
  isKept,
  value,
  error,
  onChange,
}: {
  label: string
  isKept: boolean
  value: string
  error?: string | undefined
  onChange: (value: string) => void
}) {
  return (
    <TextField
      label={label}
      type="password"
      autoComplete="new-password"
      data-1p-ignore
      required={!isKept}
      value={value}
      error={error}
      help={helpOf(isKept, error)}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

function helpOf(isKept: boolean, error: string | undefined): string | undefined {
  if (!isKept) return 'Encrypted before it is stored. It is never shown again.'
  return error === undefined ? 'Stored. Leave it empty to keep it.' : undefined
}

function Scopes({
  known,
  values,
  set,
  isRequired,
  error,
}: {
  known: string[]
  values: Values
  set: (change: Partial<Values>) => void
  isRequired: boolean
  error: string | undefined
}) {
  return (
    <fieldset className="plain-fieldset">
      <legend>Scopes</legend>
      <div className="scopes">
        {known.map((scope) => (
          <CheckField
            key={scope}
            label={<code>{scope}</code>}
            checked={values.scopes.includes(scope)}
            onChange={(checked) =>
              set({
                scopes: checked ? [...values.scopes, scope] : values.scopes.filter((one) => one !== scope),
              })
            }
          />
        ))}
      </div>
      <TextArea
        label={known.length > 0 ? 'Further scopes' : 'Scopes to request'}
        optional={!isRequired || values.scopes.length > 0}
        help="Separated by spaces or lines, as the provider’s documentation lists them. The app must have them at the provider."
        value={values.moreScopes}
        error={error}
        onChange={(event) => set({ moreScopes: event.target.value })}
      />
    </fieldset>
  )
}

function MetadataFields({
  provider,
  values,
  set,
  app,
  error,
}: {
  provider: Provider
  values: Values
  set: (change: Partial<Values>) => void
  app: ProviderApp | undefined
  error: unknown
}) {
  const { providerParams = [], authQueryParams = [] } = provider.providerAppMetadata ?? {}
  const hasSecret = (name: string) => app !== undefined && !app.missingParams?.includes(name)
  return (
    <>
      {providerParams.map(
        ({ name, displayName, prompt, defaultValue, docsURL, secret = isSecretName(name), required = false }) => (
          <TextField
            key={name}
            label={displayName || name}
            {...(required ? { required: !(secret && hasSecret(name)) } : { optional: true })}
            type={secret ? 'password' : 'text'}
            autoComplete={secret ? 'new-password' : 'off'}
            error={issueOf(error, `metadata.providerParams.${name}`)}
            help={
              <>
                {prompt} {defaultValue && `Usually ${defaultValue}. `}
                {secret && hasSecret(name) && 'Leave it empty to keep it. '}
                <DocsLink href={docsURL} />
              </>
            }
            value={values.params[name] ?? ''}
            onChange={(event) => set({ params: { ...values.params, [name]: event.target.value } })}
          />
        ),
      )}
      {authQueryParams.map(({ name, displayName, prompt, docsURL }) => (
        <TextField
          key={name}
          label={displayName || name}
          optional
          help={
            <>
              {prompt} Sent in the authorization address as <code>{name}</code>; several values separated by spaces.{' '}
              <DocsLink href={docsURL} />
            </>
          }
          value={values.query[name] ?? ''}
          onChange={(event) => set({ query: { ...values.query, [name]: event.target.value } })}
        />
      ))}
    </>
  )
}

function valuesOf(app: ProviderApp | undefined): Values {
  return {
    clientId: app?.clientId ?? '',
    clientSecret: '',
    scopes: app?.scopes ?? [],
    moreScopes: '',
    externalRef: app?.externalRef ?? '',
    allowedHosts: app?.allowedHosts?.join('\n') ?? '',
    params: { ...app?.metadata?.providerParams },
    query: Object.fromEntries(
      Object.entries(app?.metadata?.authQueryParams ?? {}).map(([name, list]) => [name, list.join(' ')]),
    ),
  }
}

const listOf = (text: string) => text.split(/[\s,]+/).filter(Boolean)

function partsOf({ scopes, moreScopes, externalRef, allowedHosts, params, query }: Values) {
  const providerParams = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== ''))
  const authQueryParams = Object.fromEntries(
    Object.entries(query)
      .map(([name, text]) => [name, listOf(text)] as const)
      .filter(([, list]) => list.length > 0),
  )
  return {
    scopes: [...new Set([...scopes, ...listOf(moreScopes)])],
    externalRef: externalRef.trim(),
    allowedHosts: listOf(allowedHosts),
    metadata: { providerParams, authQueryParams },
  }
}

function newAppOf(provider: Provider, values: Values): Input<'createProviderApp'>['body'] {
  const { scopes, externalRef, allowedHosts, metadata } = partsOf(values)
  const hasMetadata = Object.values(metadata).some((part) => Object.keys(part).length > 0)
  return {
    provider: provider.name,
    clientId: values.clientId.trim(),
    clientSecret: values.clientSecret,
    ...(scopes.length > 0 && { scopes }),
    ...(externalRef !== '' && { externalRef }),
    ...(allowedHosts.length > 0 && { allowedHosts }),
    ...(hasMetadata && { metadata }),
  }
}

/** Everything that the form shows; a secret only where one was entered. Parameters that it does not show are kept. */
function changeOf(app: ProviderApp, provider: Provider, values: Values): Input<'updateProviderApp'>['body'] {
  const { metadata, ...parts } = partsOf(values)
  const { providerParams = [], authQueryParams = [] } = provider.providerAppMetadata ?? {}
  const hasFields = providerParams.length + authQueryParams.length > 0
  const masks = ['clientId', 'scopes', 'externalRef', 'allowedHosts']
  return {
    updateMask: [...masks, ...(values.clientSecret === '' ? [] : ['clientSecret']), ...(hasFields ? ['metadata'] : [])],
    providerApp: {
      ...parts,
      clientId: values.clientId.trim() || app.clientId,
      ...(values.clientSecret !== '' && { clientSecret: values.clientSecret }),
      ...(hasFields && { metadata }),
    },
  }
}
