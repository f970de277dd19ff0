import type { ReactNode } from 'react'
import { Card, Facts } from '../../parts/page.tsx'
import { Tag } from '../../parts/status.tsx'
import { grantLabels, type Provider, type Scheme, schemeLabels, usesBrowserApp } from './provider.ts'

/** What a customer enters, for each way to authenticate. */
export function AuthenticationCard({ provider }: { provider: Provider }) {
  const inputs = provider.metadata?.input ?? []
  return (
    <Card title="What a customer enters">
      {provider.schemes.length === 0 && <p className="muted">This release cannot connect accounts of this provider.</p>}
      {provider.schemes.map((scheme, index) => (
        <section key={scheme.name} className="stack" aria-label={scheme.name}>
          <h3 className="row">
            {schemeLabels[scheme.type]}
            {provider.schemes.length > 1 && index === 0 && <Tag meaning="info">Preferred</Tag>}
          </h3>
          <p>{askedOf(scheme)}</p>
          <Facts facts={factsOf(scheme)} />
        </section>
      ))}
      {inputs.length > 0 && (
        <section className="stack" aria-label="Details of the account">
          <h3>Details of the account</h3>
          <Facts
            facts={inputs.map(({ name, displayName, prompt, defaultValue, optional, docsURL }): [string, ReactNode] => [
              `${displayName || name}${optional ? ' (optional)' : ''}`,
              <>
                {prompt ?? <code>{name}</code>} {defaultValue && <>By default {defaultValue}.</>}{' '}
                <DocsLink href={docsURL} />
              </>,
            ])}
          />
        </section>
      )}
    </Card>
  )
}

function askedOf(scheme: Scheme): string {
  if (usesBrowserApp(scheme)) return 'They sign in at the provider and allow your app. They type no secret here.'
  if (scheme.type === 'oauth2')
    return scheme.oauth2Opts?.grantType === 'password'
      ? 'They enter a user name and a password, with the client id and secret of an app of theirs.'
      : 'They enter the client id and secret of an app of theirs.'
  if (scheme.type === 'apiKey') return 'They enter an API key that they created at the provider.'
  if (scheme.type === 'basic')
    return scheme.basicOpts?.apiKeyAsBasic
      ? 'They enter a key, which is sent as a user name or a password.'
      : 'They enter a user name and a password.'
  if (scheme.type === 'custom') return 'They enter the values below.'
  return 'Nothing: the provider needs no credential.'
}

function factsOf({ name, oauth2Opts, apiKeyOpts, basicOpts, customOpts }: Scheme): [string, ReactNode][] {
  const docs = oauth2Opts?.docsURL ?? apiKeyOpts?.docsURL ?? basicOpts?.docsURL
  return [
    ['Scheme', <code key="name">{name}</code>],
    ['Grant', oauth2Opts && grantLabels[oauth2Opts.grantType]],
    ['Authorization page', oauth2Opts?.authURL && <code key="auth">{oauth2Opts.authURL}</code>],
    ['Scopes', oauth2Opts && (oauth2Opts.explicitScopesRequired ? 'Required' : 'Optional')],
    ['Workspace', oauth2Opts?.explicitWorkspaceRequired && 'The customer names it first'],
    [
      'Sent in',
      apiKeyOpts && (
        <code key="sent">
          {apiKeyOpts.attachmentType === 'query' ? `?${apiKeyOpts.query?.name}=` : `${apiKeyOpts.header?.name}:`}
        </code>
      ),
    ],
    ...(customOpts?.inputs ?? []).map(({ name, displayName, prompt, docsURL }): [string, ReactNode] => [
      displayName || name,
      <>
        {prompt ?? 'Asked for'} <DocsLink href={docsURL} />
      </>,
    ]),
    ['Read more', docs && <DocsLink key="docs" href={docs} />],
  ]
}

export function DocsLink({ href, children }: { href: string | undefined; children?: ReactNode }) {
  if (href === undefined || !/^https?:/.test(href)) return null
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children ?? 'The provider’s documentation'}
    </a>
  )
}
