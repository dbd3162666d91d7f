import type { Translations } from '../language.ts'

const en = {
  title: 'Open this link?',
  text: 'Each time it is opened counts.',
  open: 'Open link',
}

/** The messages of the page that opens a link only after a button is pressed. */
export const confirmMessages: Translations<typeof en> = {
  en,
  de: {
    title: 'Diesen Link öffnen?',
    text: 'Jedes Öffnen zählt.',
    open: 'Link öffnen',
  },
  fr: {
    title: 'Ouvrir ce lien ?',
    text: 'Chaque ouverture compte.',
    open: 'Ouvrir le lien',
  },
  es: {
    title: '¿Abrir este enlace?',
    text: 'Cada apertura cuenta.',
    open: 'Abrir enlace',
  },
  it: {
    title: 'Aprire questo link?',
    text: 'Ogni apertura conta.',
    open: 'Apri link',
  },
  pt: {
    title: 'Abrir este link?',
    text: 'Cada abertura conta.',
    open: 'Abrir link',
  },
  nl: {
    title: 'Deze link openen?',
    text: 'Elke keer openen telt.',
    open: 'Link openen',
  },
  pl: {
    title: 'Otworzyć ten link?',
    text: 'Każde otwarcie jest liczone.',
    open: 'Otwórz link',
  },
  tr: {
    title: 'Bu bağlantı açılsın mı?',
    text: 'Her açılış sayılır.',
    open: 'Bağlantıyı aç',
  },
  ja: {
    title: 'このリンクを開きますか？',
    text: '開くたびにカウントされます。',
    open: 'リンクを開く',
  },
  zh: {
    title: '打开此链接？',
    text: '每次打开都会计数。',
    open: '打开链接',
  },
  ar: {
    title: 'هل تريد فتح هذا الرابط؟',
    text: 'كل مرة يُفتح فيها تُحتسب.',
    open: 'فتح الرابط',
  },
}
