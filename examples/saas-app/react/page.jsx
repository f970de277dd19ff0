import { MortiseIntegrations } from '@mortise/connect/react'
import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { api, mortiseUrl, project } from '/app.js'

/** Harbor's server creates a session for the customer who is signed in, and returns its token. */
async function getToken() {
  const { token } = await api('/api/connect-session', { purpose: 'manage' })
  return token
}

const messages = { en: { 'gallery.title': 'Bring your data to Harbor' } }

function Integrations() {
  const [news, setNews] = useState([])
  const add = (text) => setNews((before) => [...before, text])
  return (
    <>
      <MortiseIntegrations
        server={mortiseUrl}
        project={project}
        getToken={getToken}
        messages={messages}
        onConnected={({ detail }) => add(`Connected: ${detail.connection.provider}`)}
        onInstalled={() => add('Installed. Your contacts are on their way.')}
        onChanged={() => add('Changed.')}
        onRemoved={() => add('Removed.')}
        onError={({ detail }) => add(`Error: ${detail.kind}`)}
      />
      <div className="news" role="status" aria-label="What happened">
        {news.map((text, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list only grows
          <p key={index}>{text}</p>
        ))}
      </div>
    </>
  )
}

createRoot(document.querySelector('#root')).render(
  <StrictMode>
    <Integrations />
  </StrictMode>,
)
