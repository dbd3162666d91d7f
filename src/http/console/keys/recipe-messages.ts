import { html, type SafeHtml } from '@remix-run/html-template'
import { consoleMessages } from '../../localization/console-messages.ts'

/** Messages for the setup instructions for apps. */
export const recipeMessages = consoleMessages({
  en: {
    title: 'Integrations',
    yourls: 'Browser extensions and other apps for YOURLS',
    apiUrl: 'API URL:',
    yourlsKey:
      'Use the key as signature token, or as password with any username. Time-limited signatures aren’t supported.',
    shareX: 'ShareX',
    download: 'Download brevis.sxcu',
    shareXFile: 'Open the file in ShareX. It contains your key, so don’t share it.',
    shareXKey: () =>
      html`Create a key with the scope <b>Create</b> to download a ShareX config file.`,
    shortcuts: 'iPhone and iPad: Shortcuts',
    shortcutSteps: (url: SafeHtml, header: SafeHtml) => [
      html`Create a shortcut and enable “Show in Share Sheet” for URLs.`,
      html`Add “Get Contents of URL” with this URL: ${url}`,
      html`Set the method to POST and add the header <b>Authorization</b> with ${header}`,
      html`Set the request body to JSON and add a text field <b>url</b> with the shortcut’s input.`,
      html`Add “Get Dictionary Value” for the key <b>shorturl</b>, then “Copy to Clipboard”.`,
    ],
    homeAssistant: 'Home Assistant',
    configFile: 'configuration.yaml',
    bearer: (key: string) => `Bearer ${key}`,
    uploader: (host: string) => `Brevis (${host})`,
    inFile: (file: SafeHtml) => html`In ${file}:`,
    clicksIn30Days: 'Clicks in 30 days',
    useCreate: () => html`Use a key with the scope <b>Create</b>.`,
    useLinks: () => html`Use a key with the scope <b>Links</b>.`,
    placeholder: 'YOUR-KEY',
    copy: 'Copy',
  },
  de: {
    title: 'Integrationen',
    yourls: 'Browser-Erweiterungen und andere Apps für YOURLS',
    apiUrl: 'API-URL:',
    yourlsKey:
      'Der Schlüssel dient als Signatur-Token, oder als Passwort zu einem beliebigen Benutzernamen. Zeitlich begrenzte Signaturen werden nicht unterstützt.',
    shareX: 'ShareX',
    download: 'brevis.sxcu herunterladen',
    shareXFile:
      'Die Datei in ShareX öffnen. Sie enthält den Schlüssel und sollte nicht weitergegeben werden.',
    shareXKey: () =>
      html`Einen Schlüssel mit dem Recht <b>Erstellen</b> anlegen, um eine Konfiguration für ShareX herunterzuladen.`,
    shortcuts: 'iPhone und iPad: Kurzbefehle',
    shortcutSteps: (url, header) => [
      html`Einen Kurzbefehl erstellen und „Im Share-Sheet anzeigen“ für URLs aktivieren.`,
      html`„Inhalte von URL abrufen“ mit dieser URL hinzufügen: ${url}`,
      html`Als Methode POST wählen und den Header <b>Authorization</b> hinzufügen: ${header}`,
      html`Als Anfragetext JSON wählen und ein Textfeld <b>url</b> mit der Eingabe des Kurzbefehls hinzufügen.`,
      html`„Wörterbuchwert abrufen“ für den Schlüssel <b>shorturl</b> hinzufügen, danach „In Zwischenablage kopieren“.`,
    ],
    homeAssistant: 'Home Assistant',
    configFile: 'configuration.yaml',
    bearer: (key) => `Bearer ${key}`,
    uploader: (host) => `Brevis (${host})`,
    inFile: (file) => html`In ${file}:`,
    clicksIn30Days: 'Klicks in 30 Tagen',
    useCreate: () => html`Einen Schlüssel mit dem Recht <b>Erstellen</b> verwenden.`,
    useLinks: () => html`Einen Schlüssel mit dem Recht <b>Links</b> verwenden.`,
    placeholder: 'SCHLÜSSEL',
    copy: 'Kopieren',
  },
})
