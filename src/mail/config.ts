import { choice, text, type OptionValues } from '../core/index.js';

export const mailOptions = {
  transport: choice(['file', 'smtp'], 'file', 'smtp sends; file writes .eml files and prints the link.'),
  url: text('', 'Server for smtp: smtp://user:password@host:587 or smtps://….', {
    pattern: { regex: /^smtps?:\/\/\S+$/, hint: 'smtp://user:password@host:587' },
  }),
  from: text('', 'Sender of every mail: an address, or Name <address>.', {
    derived: '<app.name> <no-reply@host of app.url>',
  }),
  directory: text('storage/mail', 'Folder of the file transport, relative to the host project.'),
};

export type MailConfig = OptionValues<typeof mailOptions>;
