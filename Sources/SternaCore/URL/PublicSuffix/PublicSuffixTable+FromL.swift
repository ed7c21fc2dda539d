// Made by scripts/public-suffixes of the Public Suffix List, version 2026-10-22_08-36-41_UTC
// (publicsuffixlist 1.1.2.20261023 of PyPI).
// This file is subject to the terms of the Mozilla Public License, v. 2.0. If a copy of the MPL was not distributed
// with this file, You can obtain one at https://mozilla.org/MPL/2.0/.

extension PublicSuffixTable {
    /// 2603 rules, in the form that scripts/public-suffixes describes.
    static let fromL: StaticString = """
        l-o-g-i-n.de l.bg l.se la la-spezia.it la.us la1-plenit.com laakesvuemie.no
        labeling.ap-northeast-1.sagemaker.aws labeling.ap-northeast-2.sagemaker.aws labeling.ap-south-1.sagemaker.aws
        labeling.ap-southeast-1.sagemaker.aws labeling.ap-southeast-2.sagemaker.aws labeling.ca-central-1.sagemaker.aws
        labeling.eu-central-1.sagemaker.aws labeling.eu-west-1.sagemaker.aws labeling.eu-west-2.sagemaker.aws
        labeling.us-east-1.sagemaker.aws labeling.us-east-2.sagemaker.aws labeling.us-west-2.sagemaker.aws lacaixa
        ladesk.com lahppi.no laichau.vn lakas.hu lambda-url.af-south-1.on.aws lambda-url.ap-east-1.on.aws
        lambda-url.ap-northeast-1.on.aws lambda-url.ap-northeast-2.on.aws lambda-url.ap-northeast-3.on.aws
        lambda-url.ap-south-1.on.aws lambda-url.ap-southeast-1.on.aws lambda-url.ap-southeast-2.on.aws
        lambda-url.ap-southeast-3.on.aws lambda-url.ca-central-1.on.aws lambda-url.eu-central-1.on.aws
        lambda-url.eu-north-1.on.aws lambda-url.eu-south-1.on.aws lambda-url.eu-west-1.on.aws
        lambda-url.eu-west-2.on.aws lambda-url.eu-west-3.on.aws lambda-url.me-south-1.on.aws lambda-url.sa-east-1.on.aws
        lambda-url.us-east-1.on.aws lambda-url.us-east-2.on.aws lambda-url.us-west-1.on.aws lambda-url.us-west-2.on.aws
        lamborghini lamdong.vn lamer lanbib.se land land-4-sale.us landing.myjino.ru* landrover langevag.no langson.vn
        lanxess laocai.vn lapy.pl laquila.it laravel.cloud lardal.no larvik.no lasalle laspezia.it lat lat.ec latina.it
        latino latrobe lavagis.no lavangen.no law law.pro law.za lawyer laz.it lazio.it lb lb.ru-msk.k2.cloud
        lb.ru-spb.k2.cloud lc lc.it lcl.dev* lclstage.dev* lcube-server.de lds le.it leadpages.co leangaviika.no
        leapcell.app leapcell.dev leapcell.online lease leasing.aero lebesby.no lebork.pl lebtimnetz.de lecce.it
        lecco.it leclerc leczna.pl lefrak leg.br legal legnica.pl lego leikanger.no leilao.br leirfjord.no leirvik.no
        leitungsen.de leka.no leksvik.no lel.br lenug.su lenvik.no lerdal.no lesja.no levanger.no lexus lezajsk.pl
        lg.biz.ng lg.jp lg.ua lgbt li li.it liara.run lib.ak.us lib.al.us lib.ar.us lib.as.us lib.az.us lib.ca.us
        lib.co.us lib.ct.us lib.dc.us lib.ee lib.fl.us lib.ga.us lib.gu.us lib.hi.us lib.ia.us lib.id.us lib.il.us
        lib.in.us lib.ks.us lib.ky.us lib.la.us lib.ma.us lib.md.us lib.me.us lib.mi.us lib.mn.us lib.mo.us lib.mt.us
        lib.nc.us lib.ne.us lib.nh.us lib.nj.us lib.nm.us lib.nv.us lib.ny.us lib.oh.us lib.ok.us lib.or.us lib.pa.us
        lib.pr.us lib.ri.us lib.sc.us lib.sd.us lib.tn.us lib.tx.us lib.ut.us lib.va.us lib.vi.us lib.vt.us lib.wa.us
        lib.wi.us lib.wy.us libp2p.direct lidl lier.no lierne.no life lifeinsurance lifestyle lig.it lighting liguria.it
        like likes-pie.com likescandy.com lillehammer.no lillesand.no lilly lima-city.at lima-city.ch lima-city.de
        lima-city.rocks lima.zone limanowa.pl limited limo lincoln lindas.no lindesnes.no link linkyard-cloud.ch
        linkyard.cloud linodeobjects.com* littlestar.jp live live-on.net live-website.com living livorno.it lk llc
        llc.ge llp ln.cn lo.it loabat.no loan loans localcert.net localplayer.dev localto.net* localtonet.com locker
        locus lodi.it lodingen.no lodz.pl log.br loginline.app loginline.dev loginline.io loginline.services
        loginline.site loginto.me logistics.aero logoip.com logoip.de lohmus.me loisirs.bj loj.ec lol lolipop.io
        lolipopmc.jp lolitapunk.jp lom.it lom.no lombardia.it lombardy.it lomo.jp lomza.pl lon-1.paas.massivegrid.net
        lon-2.paas.massivegrid.net london londrina.br longan.vn loppa.no lorenskog.no loseyourip.com loten.no lotte
        lotto lovable.app lovable.run lovable.sh lovableproject.com love lovepop.jp lovesick.jp lowicz.pl lp.dev
        lpages.co lpg.objectstorage.ch lpl lplfinancial lpusercontent.com lr ls lt lt.eu.org lt.it lt.ua ltd ltd.co.im
        ltd.cy ltd.gi ltd.hk ltd.lk ltd.ng ltd.ua ltd.uk ltda lu lu.eu.org lu.it lubartow.pl lubin.pl lublin.pl
        lucania.it lucca.it lug.org.uk lugansk.ua lugs.org.uk luhansk.ua lukow.pl lund.no lundbeck lunner.no luroy.no
        luster.no lutrausercontent.com* lutsk.ua luxe luxury luyani.app luyani.net lv lv.eu.org lv.ua lviv.ua ly
        lyngdal.no lyngen.no lynx.mythic-beasts.com m.bg m.se ma ma.gov.br ma.leg.br ma.us macapa.br maceio.br
        macerata.it machida.tokyo.jp madethis.site madrid maebashi.gunma.jp mafelo.net magazine.aero magentosite.cloud*
        magicpatterns.app magicpatternsapp.com maibara.shiga.jp maif mail-box.ne.jp mail.pl main.jp maintenance.aero
        maison maizuru.kyoto.jp makeup makinohara.shizuoka.jp makurazaki.kagoshima.jp malatvuopmi.no
        malaysiawest-01.azurewebsites.net malbork.pl malopolska.pl malselv.no malvik.no mamurogawa.yamagata.jp man
        management manaus.br mandal.no mango mangyshlak.su maniwa.okayama.jp manno.kagawa.jp mantova.it maori.nz map
        map.fastly.net map.fastlylb.net mar.it marche.it marine.ru maringa.br marker.no market marketing
        marketplace.aero markets marnardal.no marriott marshalls marugame.kagawa.jp marumori.miyagi.jp masaki.ehime.jp
        masfjorden.no mashike.hokkaido.jp mashiki.kumamoto.jp mashiko.tochigi.jp masoy.no massa-carrara.it
        massacarrara.it masuda.shimane.jp mat.br matera.it matlab.cloud matrix.jp matsubara.osaka.jp
        matsubushi.saitama.jp matsuda.kanagawa.jp matsudo.chiba.jp matsue.shimane.jp matsukawa.nagano.jp
        matsumae.hokkaido.jp matsumoto.kagoshima.jp matsumoto.nagano.jp matsuno.ehime.jp matsusaka.mie.jp
        matsushige.tokushima.jp matsushima.miyagi.jp matsuura.nagasaki.jp matsuyama.ehime.jp matsuzaki.shizuoka.jp
        matta-varjjat.no mattel mayfirst.info mazowsze.pl mazury.pl mb.ca mb.it mba mc mc.it mcdir.me mcdir.ru mckinsey
        mcpre.ru md md.us me me-central-1.airflow.amazonaws.com* me-central-1.elasticbeanstalk.com
        me-central-1.rds.amazonaws.com* me-south-1.airflow.amazonaws.com* me-south-1.elasticbeanstalk.com
        me-south-1.rds.amazonaws.com* me.eg me.eu.org me.in me.it me.ke me.kr me.scot me.so me.ss me.tz me.uk me.us med
        med.br med.ec med.ee med.ht med.ly med.om med.pa med.pl med.pro med.sa med.sd medecin.fr medecin.km media
        media.aero media.hu media.pl media.strapiapp.com mediatech.by mediatech.dev medicina.bo medio-campidano.it
        mediocampidano.it medusajs.app meet meguro.tokyo.jp mein-iserv.de meinforum.net meiwa.gunma.jp meiwa.mie.jp
        mel.cloudlets.com.au meland.no melbourne meldal.no melhus.no meloy.no members.linode.com meme memorial
        memset.net men menu meraker.no merck merckmsd merseine.nu messerli.app messina.it messwithdns.com
        metaaiusercontent.com* meteorapp.com mex.com mexicocentral-01.azurewebsites.net mg mg.gov.br mg.leg.br
        mgdb.fr-par.scw.cloud mgdb.nl-ams.scw.cloud mgdb.pl-waw.scw.cloud mh mi.it mi.th mi.us miami miasa.nagano.jp
        miasta.pl mibu.tochigi.jp microlight.aero microsoft midori.chiba.jp midori.gunma.jp midsund.no midtre-gauldal.no
        mie.jp mielec.pl mielno.pl mifune.kumamoto.jp migration.run* mihama.aichi.jp mihama.chiba.jp mihama.fukui.jp
        mihama.mie.jp mihama.wakayama.jp mihara.hiroshima.jp mihara.kochi.jp miharu.fukushima.jp miho.ibaraki.jp
        mikasa.hokkaido.jp mikawa.yamagata.jp miki.hyogo.jp mil mil.ac mil.ae mil.al mil.ar mil.az mil.ba mil.bd mil.bo
        mil.br mil.by mil.cl mil.cn mil.co mil.cy mil.do mil.ec mil.eg mil.fj mil.gh mil.gt mil.hn mil.id mil.in mil.io
        mil.iq mil.jo mil.kg mil.km mil.kr mil.kz mil.lv mil.mg mil.mv mil.my mil.mz mil.ng mil.ni mil.no mil.nz mil.pe
        mil.ph mil.pl mil.py mil.qa mil.ru mil.rw mil.sh mil.st mil.sy mil.tj mil.tm mil.to mil.tr mil.tt mil.tw mil.tz
        mil.ug mil.uy mil.vc mil.ve mil.ye mil.za mil.zm mil.zw milan.it milano.it mima.tokushima.jp mimata.miyazaki.jp
        mimoza.jp minakami.gunma.jp minamata.kumamoto.jp minami-alps.yamanashi.jp minami.fukuoka.jp minami.kyoto.jp
        minami.tokushima.jp minamiaiki.nagano.jp minamiashigara.kanagawa.jp minamiawaji.hyogo.jp minamiboso.chiba.jp
        minamidaito.okinawa.jp minamiechizen.fukui.jp minamifurano.hokkaido.jp minamiise.mie.jp minamiizu.shizuoka.jp
        minamimaki.nagano.jp minamiminowa.nagano.jp minamioguni.kumamoto.jp minamisanriku.miyagi.jp
        minamitane.kagoshima.jp minamiuonuma.niigata.jp minamiyamashiro.kyoto.jp minano.saitama.jp minato.osaka.jp
        minato.tokyo.jp mincom.tn mine.nu mini miniserver.com minisite.ms mino.gifu.jp minobu.yamanashi.jp
        minoh.osaka.jp minokamo.gifu.jp minowa.nagano.jp mint mints.ne.jp mircloud.host mircloud.ru mircloud.us
        miren.app miren.systems misaki.okayama.jp misaki.osaka.jp misasa.tottori.jp misato.akita.jp misato.miyagi.jp
        misato.saitama.jp misato.shimane.jp misato.wakayama.jp misawa.aomori.jp misconfused.org mishima.fukushima.jp
        mishima.shizuoka.jp misugi.mie.jp mit mitaka.tokyo.jp mitake.gifu.jp mitane.akita.jp mito.ibaraki.jp
        mitou.yamaguchi.jp mitoyo.kagawa.jp mitsubishi mitsue.nara.jp mitsuke.niigata.jp mittwald.info
        mittwaldserver.info miura.kanagawa.jp miyada.nagano.jp miyagi.jp miyake.nara.jp miyako.fukuoka.jp
        miyako.iwate.jp miyakonojo.miyazaki.jp miyama.fukuoka.jp miyama.mie.jp miyashiro.saitama.jp miyawaka.fukuoka.jp
        miyazaki.jp miyazaki.miyazaki.jp miyazu.kyoto.jp miyoshi.aichi.jp miyoshi.hiroshima.jp miyoshi.saitama.jp
        miyoshi.tokushima.jp miyota.nagano.jp mizuho.tokyo.jp mizumaki.fukuoka.jp mizunami.gifu.jp mizusawa.iwate.jp
        mjondalen.no mk mk.eu.org mk.ua mkm.fan mktg.ec ml mlb mlbfan.org mls mm* mma mmafan.biz mmv.kr mn mn.it mn.us
        mo mo-i-rana.no mo-siemens.io mo.cn mo.it mo.us moareke.no mobara.chiba.jp mobi mobi.gp mobi.ke mobi.ng mobi.tz
        mobile mocha-sandbox.dev mocha.app mochausercontent.com mochizuki.nagano.jp mock.pstmn.io mod.gi moda modalen.no
        modelling.aero modelscape.com modena.it mods.jp modum.no modx.dev moe moi moka.tochigi.jp mokuren.ne.jp mol.it
        molde.no molise.it mom mombetsu.hokkaido.jp mon.ec monash mond.jp money money.bj mongolian.jp monster
        monza-brianza.it monza-e-della-brianza.it monza.it monzabrianza.it monzaebrianza.it monzaedellabrianza.it moo.jp
        moonscale.io* moonscale.net mordovia.ru mordovia.su morena.br moriguchi.osaka.jp morimachi.shizuoka.jp
        morioka.iwate.jp moriya.ibaraki.jp moriyama.shiga.jp moriyoshi.akita.jp mormon morotsuka.miyazaki.jp
        moroyama.saitama.jp mortgage moscow moseushi.hokkaido.jp mosjoen.no moskenes.no moss.no motegi.tochigi.jp moto
        motobu.okinawa.jp motorcycles motosu.gifu.jp motoyama.kochi.jp mov movie movimiento.bo mp mp.br mq mr mr.no
        mragowo.pl mrap.accesspoint.s3-global.amazonaws.com ms ms.fun ms.gov.br ms.it ms.kr ms.leg.br ms.show ms.us msd
        msk.ru msk.su mt mt.eu.org mt.gov.br mt.it mt.leg.br mt.us mtls.run.app* mtn mtr mu mugi.tokushima.jp
        muika.niigata.jp mukawa.hokkaido.jp muko.kyoto.jp munakata.fukuoka.jp muni.il muosat.no mup.gov.pl
        murakami.niigata.jp murata.miyagi.jp murayama.yamagata.jp murmansk.su muroran.hokkaido.jp muroto.kochi.jp mus.br
        mus.mi.us musashimurayama.tokyo.jp musashino.tokyo.jp museum museum.mv museum.no museum.om music musica.ar
        musica.bo musician.io mutsu.aomori.jp mutsuzawa.chiba.jp mutual.ar mv mw mw.gov.pl mwcloudnonprod.com mx
        mx-central-1.rds.amazonaws.com* my my-firewall.org my-gateway.de my-router.de my.at my.be my.canva.site
        my.canvasite.cn my.de my.eu.org my.id myactivedirectory.com myaddr.dev myaddr.io myaddr.tools myamaze.net
        myasustor.com mybox.company mybox.me mybox.page mycloudnas.com mydatto.com mydatto.net mydbserver.com
        myddns.rocks mydissent.net mydns.bz mydns.jp mydns.tw mydns.vc mydobiss.com myds.me myeffect.net myfast.host
        myfast.space myfirewall.org myforum.community myfritz.link myfritz.net myftp.biz myftp.org mygov.scot
        myhome-server.de myiphost.com myjino.ru mykolaiv.ua mymailer.com.tw mymediapc.net mynascloud.com
        myoko.niigata.jp mypep.link mypets.ws myphotos.cc mypi.co mypsx.net myqnapcloud.cn myqnapcloud.com myradweb.net
        myrdbx.io mysecuritycamera.com mysecuritycamera.net mysecuritycamera.org myshopblocks.com myshopify.com
        myspreadshop.at myspreadshop.be myspreadshop.ca myspreadshop.ch myspreadshop.co.uk myspreadshop.com
        myspreadshop.com.au myspreadshop.de myspreadshop.dk myspreadshop.es myspreadshop.fi myspreadshop.fr
        myspreadshop.ie myspreadshop.it myspreadshop.net myspreadshop.nl myspreadshop.no myspreadshop.pl myspreadshop.se
        mysynology.net mytabit.co.il mytabit.com mytis.ru mytuleap.com myvnc.com mywire.org mz n.bg n.se na na.it
        na4u.ru naamesjevuemie.no nab nabari.mie.jp nachikatsuura.wakayama.jp nagahama.shiga.jp nagai.yamagata.jp
        nagano.jp nagano.nagano.jp naganohara.gunma.jp nagaoka.niigata.jp nagaokakyo.kyoto.jp nagara.chiba.jp
        nagareyama.chiba.jp nagasaki.jp nagasaki.nagasaki.jp nagasu.kumamoto.jp nagato.yamaguchi.jp nagatoro.saitama.jp
        nagawa.nagano.jp nagi.okayama.jp nagiso.nagano.jp nago.okinawa.jp nagoya nagoya.jp* naha.okinawa.jp
        nahari.kochi.jp naie.hokkaido.jp naka.hiroshima.jp naka.ibaraki.jp nakadomari.aomori.jp nakagawa.fukuoka.jp
        nakagawa.hokkaido.jp nakagawa.nagano.jp nakagawa.tokushima.jp nakagusuku.okinawa.jp nakagyo.kyoto.jp
        nakai.kanagawa.jp nakama.fukuoka.jp nakamichi.yamanashi.jp nakamura.kochi.jp nakaniikawa.toyama.jp
        nakano.nagano.jp nakano.tokyo.jp nakanojo.gunma.jp nakanoto.ishikawa.jp nakasatsunai.hokkaido.jp
        nakatane.kagoshima.jp nakatombetsu.hokkaido.jp nakatsugawa.gifu.jp nakayama.yamagata.jp nakijin.okinawa.jp
        naklo.pl nalchik.ru nalchik.su namaste.jp namdalseid.no namdinh.vn name name.az name.eg name.et name.fj name.hr
        name.mk name.mv name.my name.ng name.pm name.pr name.qa name.tj name.tr name.tt name.vn namegata.ibaraki.jp
        namegawa.saitama.jp namerikawa.toyama.jp namie.fukushima.jp namikata.ehime.jp namsos.no namsskogan.no
        nanae.hokkaido.jp nanao.ishikawa.jp nanbu.tottori.jp nanbu.yamanashi.jp nango.fukushima.jp nanjo.okinawa.jp
        nankoku.kochi.jp nanmoku.gunma.jp nannestad.no nanporo.hokkaido.jp nantan.kyoto.jp nanto.toyama.jp
        nanyo.yamagata.jp naoshima.kagawa.jp naples.it napoli.it nara.jp nara.nara.jp narashino.chiba.jp narita.chiba.jp
        naroy.no narusawa.yamanashi.jp naruto.tokushima.jp narviika.no narvik.no nasu.tochigi.jp nasushiobara.tochigi.jp
        nat.cu nat.tn natal.br natori.miyagi.jp natural.bo naturbruksgymn.se naustdal.no navigation.aero navoi.su
        navuotna.no navy nayoro.hokkaido.jp nb.ca nba nc nc.tr nc.us nd.us ne ne.jp ne.ke ne.kr ne.tz ne.ug ne.us
        neat-url.com nec nedre-eiker.no needle.run nemuro.hokkaido.jp nerdpol.ovh nerima.tokyo.jp nes.akershus.no
        nes.buskerud.no nesna.no nesodden.no nesoddtangen.no nesseby.no nesset.no net net-freaks.com net.ac net.ae
        net.af net.ag net.ai net.al net.am net.ar net.au net.az net.ba net.bb net.bd net.bh net.bj net.bm net.bn net.bo
        net.br net.bs net.bt net.bw net.bz net.ci net.cm net.cn net.co net.cu net.cv net.cw net.cy net.dm net.do net.dz
        net.ec net.eg net.et net.eu.org net.fj net.fm net.ge net.gg net.gh net.gl net.gn net.gp net.gr net.gt net.gu
        net.gy net.hk net.hn net.ht net.id net.il net.im net.in net.io net.iq net.ir net.je net.jo net.kg net.kh net.ki
        net.kn net.kw net.ky net.kz net.la net.lb net.lc net.lk net.lr net.ls net.lv net.ly net.ma net.me net.mk net.ml
        net.mo net.ms net.mt net.mu net.mv net.mw net.mx net.my net.mz net.na net.nf net.ng net.ni net.nr net.nz net.om
        net.pa net.pe net.ph net.pk net.pl net.pn net.pr net.ps net.pt net.py net.qa net.ru net.rw net.sa net.sb net.sc
        net.sd net.sg net.sh net.sl net.so net.ss net.st net.sy net.th net.tj net.tm net.tn net.to net.tr net.tt net.tw
        net.ua net.uk net.uy net.uz net.vc net.ve net.vi net.vn net.vu net.ws net.ye net.za net.zm netbank netflix
        netgamers.jp netlib.re netlify.app nett.to network neustar new news news.hu newzealandnorth-01.azurewebsites.net
        next nextdirect nexus neyagawa.osaka.jp nf nf.ca nfl nflfan.org nfshost.com ng ng.eu.org nghean.vn ngo ngo.lk
        ngo.ng ngo.ph ngo.us ngo.za ngrok-free.app ngrok-free.dev ngrok.app ngrok.dev ngrok.io ngrok.pizza ngrok.pro
        nh-serv.co.uk nh.us nhk nhlfan.net nhs.uk ni nic.in nic.tj nic.za nichinan.miyazaki.jp nichinan.tottori.jp nico
        nieruchomosci.pl niigata.jp niigata.niigata.jp niihama.ehime.jp niikappu.hokkaido.jp niimi.okayama.jp
        niiza.saitama.jp nikaho.akita.jp nike niki.hokkaido.jp nikita.jp nikko.tochigi.jp nikolaev.ua nikon nimsite.uk
        ninhbinh.vn ninhthuan.vn ninja ninohe.iwate.jp ninomiya.kanagawa.jp nirasaki.yamanashi.jp nis.za
        nishi.fukuoka.jp nishi.osaka.jp nishiaizu.fukushima.jp nishiarita.saga.jp nishiawakura.okayama.jp
        nishiazai.shiga.jp nishigo.fukushima.jp nishihara.kumamoto.jp nishihara.okinawa.jp nishiizu.shizuoka.jp
        nishikata.tochigi.jp nishikatsura.yamanashi.jp nishikawa.yamagata.jp nishimera.miyazaki.jp nishinomiya.hyogo.jp
        nishinoomote.kagoshima.jp nishinoshima.shimane.jp nishio.aichi.jp nishiokoppe.hokkaido.jp nishitosa.kochi.jp
        nishiwaki.hyogo.jp nissan nissay nissedal.no nisshin.aichi.jp niteroi.br nittedal.no niyodogawa.kochi.jp nj.us
        njs.jelastic.vps-host.net nl nl-ams-1.baremetal.scw.cloud nl.ca nl.eu.org nl.no nm.cn nm.us no no-ip.biz
        no-ip.ca no-ip.co.uk no-ip.info no-ip.net no-ip.org no.eu.org no.it nobeoka.miyazaki.jp noboribetsu.hokkaido.jp
        nobushi.jp noda.chiba.jp noda.iwate.jp nodebalancer.linode.com* nodes.k8s.fr-par.scw.cloud
        nodes.k8s.nl-ams.scw.cloud nodes.k8s.pl-waw.scw.cloud nog.community nogata.fukuoka.jp nogi.tochigi.jp
        noheji.aomori.jp noho.st nohost.me noip.me noip.us nokia nom.ag nom.br* nom.co nom.es nom.fr nom.io nom.km
        nom.mg nom.nc nom.ni nom.pa nom.pe nom.pl nom.ro nom.tm nom.ve nom.za nombre.bo nome.cv nome.pt nomi.ishikawa.jp
        nonoichi.ishikawa.jp noop.app noor.jp nord-aurdal.no nord-fron.no nord-odal.no norddal.no
        nordeste-idc.saveincloud.net nordkapp.no nordre-land.no nordreisa.no nore-og-uvdal.no north-kazakhstan.su
        northcentralus-01.azurewebsites.net northcentralusstage-01.azurewebsites.net northeastus5-01.azurewebsites.net
        northeurope-01.azurewebsites.net northflank.app* norton norwayeast-01.azurewebsites.net
        norwaywest-01.azurewebsites.net nose.osaka.jp nosegawa.nara.jp noshiro.akita.jp not.br notaires.fr notaires.km
        notebook-fips.ca-central-1.sagemaker.aws notebook-fips.ca-west-1.sagemaker.aws
        notebook-fips.us-east-1.sagemaker.aws notebook-fips.us-east-2.sagemaker.aws
        notebook-fips.us-gov-east-1.sagemaker.aws notebook-fips.us-gov-west-1.sagemaker.aws
        notebook-fips.us-west-1.sagemaker.aws notebook-fips.us-west-2.sagemaker.aws notebook.af-south-1.sagemaker.aws
        notebook.ap-east-1.sagemaker.aws notebook.ap-northeast-1.sagemaker.aws notebook.ap-northeast-2.sagemaker.aws
        notebook.ap-northeast-3.sagemaker.aws notebook.ap-south-1.sagemaker.aws notebook.ap-south-2.sagemaker.aws
        notebook.ap-southeast-1.sagemaker.aws notebook.ap-southeast-2.sagemaker.aws
        notebook.ap-southeast-3.sagemaker.aws notebook.ap-southeast-4.sagemaker.aws notebook.ca-central-1.sagemaker.aws
        notebook.ca-west-1.sagemaker.aws notebook.cn-north-1.sagemaker.com.cn notebook.cn-northwest-1.sagemaker.com.cn
        notebook.eu-central-1.sagemaker.aws notebook.eu-central-2.sagemaker.aws notebook.eu-north-1.sagemaker.aws
        notebook.eu-south-1.sagemaker.aws notebook.eu-south-2.sagemaker.aws notebook.eu-west-1.sagemaker.aws
        notebook.eu-west-2.sagemaker.aws notebook.eu-west-3.sagemaker.aws notebook.il-central-1.sagemaker.aws
        notebook.me-central-1.sagemaker.aws notebook.me-south-1.sagemaker.aws notebook.sa-east-1.sagemaker.aws
        notebook.us-east-1.sagemaker.aws notebook.us-east-2.sagemaker.aws notebook.us-gov-east-1.sagemaker.aws
        notebook.us-gov-west-1.sagemaker.aws notebook.us-west-1.sagemaker.aws notebook.us-west-2.sagemaker.aws
        noticeable.news noticias.bo notion.site noto.ishikawa.jp notodden.no notogawa.shiga.jp notteroy.no nov.ru nov.su
        novara.it novecore.site now now-dns.net now-dns.org now.sh nowaruda.pl nowruz nowtv nozawaonsen.nagano.jp np* nr
        nra nrw ns.ca nsn.us nsupdate.info nsw.au nsw.edu.au nt.au nt.ca nt.edu.au nt.no nt.ro ntdll.top ntr.br ntr.ec
        ntt nu nu.ca nu.it numata.gunma.jp numata.hokkaido.jp numazu.shizuoka.jp nuoro.it nv.us nx.cn nx.gw nxa.eu*
        ny-1.paas.massivegrid.net ny-2.paas.massivegrid.net ny.us nyanta.jp nyat.app nyc nyc.mn nysa.pl nyuzen.toyama.jp
        nz nz.basketball nz.eu.org o.bg o.se o0o0.jp o365.cloud.nospamproxy.com oaiusercontent.com*
        oamishirasato.chiba.jp oarai.ibaraki.jp obama.fukui.jp obama.nagasaki.jp obanazawa.yamagata.jp obi
        obihiro.hokkaido.jp obira.hokkaido.jp obj.ag objects.lp.dev objects.lpg.cloudscale.ch objects.rma.cloudscale.ch
        obninsk.su observablehq.cloud observer obu.aichi.jp obuse.nagano.jp ocelot.mythic-beasts.com ochi.kochi.jp
        oci.customer-oci.com* ocp.customer-oci.com* ocs.customer-oci.com* od.ua odate.akita.jp odawara.kanagawa.jp
        odda.no odesa.ua odessa.ua odo.br odont.ec oe.yamagata.jp of.by of.je of.no off.ai office office-on-the.net
        official.academy official.ec ofunato.iwate.jp og.ao og.it oga.akita.jp ogaki.gifu.jp ogano.saitama.jp
        ogasawara.tokyo.jp ogata.akita.jp ogawa.ibaraki.jp ogawa.nagano.jp ogawa.saitama.jp ogawara.miyagi.jp
        ogi.saga.jp ogimi.okinawa.jp ogliastra.it ogori.fukuoka.jp ogose.saitama.jp oguchi.aichi.jp oguni.kumamoto.jp
        oguni.yamagata.jp oh.us oharu.aichi.jp ohda.shimane.jp ohi.fukui.jp ohira.miyagi.jp ohira.tochigi.jp
        ohkura.yamagata.jp ohtawara.tochigi.jp oi.kanagawa.jp oia.gov.pl oirase.aomori.jp oirm.gov.pl
        oishida.yamagata.jp oiso.kanagawa.jp oita.jp oita.oita.jp oizumi.gunma.jp oji.nara.jp ojiya.niigata.jp ok.us
        okagaki.fukuoka.jp okawa.fukuoka.jp okawa.kochi.jp okaya.nagano.jp okayama.jp okayama.okayama.jp
        okazaki.aichi.jp oke.gov.pl okegawa.saitama.jp oketo.hokkaido.jp oki.fukuoka.jp okinawa okinawa.jp
        okinawa.okinawa.jp okinoshima.shimane.jp okoppe.hokkaido.jp oksnes.no okuizumo.shimane.jp okuma.fukushima.jp
        okutama.tokyo.jp ol.no olawa.pl olayan olayangroup olbia-tempio.it olbiatempio.it olecko.pl olkusz.pl ollo
        olsztyn.pl olympia.wa.us om omachi.nagano.jp omachi.saga.jp omaezaki.shizuoka.jp omasvuotna.no ome.tokyo.jp
        omega omg.lol omi.nagano.jp omi.niigata.jp omigawa.chiba.jp omihachiman.shiga.jp omitama.ibaraki.jp
        omiya.saitama.jp omniwe.site omotego.fukushima.jp omura.nagasaki.jp omuta.fukuoka.jp on-aptible.com on-fleek.app
        on-forge.com on-k3s.io* on-rancher.cloud* on-rio.io* on-the-web.tv on-vapor.com on-web.fr on.biz.ng on.ca
        on.expo.app on.staging.expo.app onagawa.miyagi.jp oncilla.mythic-beasts.com ondigitalocean.app one ong ong.br
        onga.fukuoka.jp onhercules.app onid.ca oninferno.net onion onjuku.chiba.jp onl online online-server.cloud
        online.ge online.th onna.okinawa.jp ono.fukui.jp ono.fukushima.jp ono.hyogo.jp onojo.fukuoka.jp
        onomichi.hiroshima.jp onporter.run onrender.com onthewifi.com onza.mythic-beasts.com ooguy.com ookuwa.nagano.jp
        ooo oops.jp ooshika.nagano.jp oow.gov.pl opal.ne.jp open opencloud.me opencraft.hosting opensocial.site
        opentunnel.xyz operaunite.com opik.net opoczno.pl opole.pl oppdal.no oppegard.no or.at or.bi or.ci or.cr or.id
        or.it or.jp or.ke or.kr or.mu or.th or.tz or.ug or.us ora.gunma.jp oracle oraclecloudapps.com*
        oraclegovcloudapps.com* oraclegovcloudapps.uk* orange orangecloud.tn org org.ac org.ae org.af org.ag org.ai
        org.al org.am org.ao org.ar org.au org.az org.ba org.bb org.bd org.bh org.bi org.bj org.bm org.bn org.bo org.br
        org.bs org.bt org.bw org.bz org.ci org.cn org.co org.cu org.cv org.cw org.cy org.dm org.do org.dz org.ec org.ee
        org.eg org.es org.et org.fj org.fm org.ge org.gg org.gh org.gi org.gl org.gn org.gp org.gr org.gt org.gu org.gy
        org.hk org.hn org.ht org.hu org.il org.im org.in org.io org.iq org.ir org.je org.jo org.kg org.kh org.ki org.km
        org.kn org.kp org.kw org.ky org.kz org.la org.lb org.lc org.lk org.lr org.ls org.lv org.ly org.ma org.me org.mg
        org.mk org.ml org.mn org.mo org.ms org.mt org.mu org.mv org.mw org.mx org.my org.mz org.na org.ng org.ni org.nr
        org.nz org.om org.pa org.pe org.pf org.ph org.pk org.pl org.pn org.pr org.ps org.pt org.py org.qa org.ro org.rs
        org.ru org.rw org.sa org.sb org.sc org.scot org.sd org.se org.sg org.sh org.sk org.sl org.sn org.so org.ss
        org.st org.sv org.sy org.sz org.tj org.tm org.tn org.to org.tr org.tt org.tw org.ua org.ug org.uk org.uy org.uz
        org.vc org.ve org.vi org.vn org.vu org.ws org.ye org.yt org.za org.zm org.zw organic origins oristano.it
        orkanger.no orkdal.no orland.no orsites.com orskog.no orsta.no orx.biz os.hedmark.no os.hordaland.no osaka
        osaka.jp osakasayama.osaka.jp osaki.miyagi.jp osakikamijima.hiroshima.jp osasco.br oschr.gov.pl osen.no
        oseto.nagasaki.jp oshima.tokyo.jp oshima.yamaguchi.jp oshino.yamanashi.jp oshu.iwate.jp oslo.no osoyro.no
        osteroy.no ostre-toten.no ostroda.pl ostroleka.pl ostrowiec.pl ostrowwlkp.pl ot.it ota.gunma.jp ota.tokyo.jp
        otake.hiroshima.jp otaki.chiba.jp otaki.nagano.jp otaki.saitama.jp otama.fukushima.jp otap.co* otari.nagano.jp
        otaru.hokkaido.jp ote.bj other.nf oto.fukuoka.jp otobe.hokkaido.jp otofuke.hokkaido.jp otoineppu.hokkaido.jp
        otoyo.kochi.jp otsu.shiga.jp otsuchi.iwate.jp otsuka otsuki.kochi.jp otsuki.yamanashi.jp ott ouchi.saga.jp
        ouda.nara.jp oum.gov.pl oumu.hokkaido.jp outsystemscloud.com overhalla.no ovh ovre-eiker.no owani.aomori.jp
        owariasahi.aichi.jp own.pm ownip.net ownprovider.com owo.codes* ox.rs oxa.cloud oy.lc oyabe.toyama.jp
        oyama.tochigi.jp oyamazaki.kyoto.jp oyer.no oygarden.no oyodo.nara.jp oystre-slidre.no oz.au ozora.hokkaido.jp
        ozu.ehime.jp ozu.kumamoto.jp p.azurewebsites.net* p.bg p.se p.tawk.email p.tawkto.email pa pa.crm.dev* pa.gov.br
        pa.gov.pl pa.it pa.leg.br pa.us paas.beebyte.io paas.hosted-by-previder.com paas.massivegrid.com pabianice.pl
        padova.it padua.it page pages-research.it.hs-heilbronn.de pages.dev pages.gay pages.it.hs-heilbronn.de
        pages.torproject.net pages.wiardweb.com pagespeedmobilizer.com palermo.it palmas.br panasonic panel.dev panel.gg
        pantheonsite.io parachuting.aero paragliding.aero parallel.jp parasite.jp paris parliament.nz parma.it
        paroch.k12.ma.us pars parti.se partners parts party passenger-association.aero patria.bo pavia.it pay
        payload.dev paynow.cx paywhirl.com* pb.ao pb.crm.dev* pb.gov.br pb.leg.br pc.crm.dev* pc.it pc.pl pccw
        pd.crm.dev* pd.it pdns.page pe pe.ca pe.crm.dev* pe.gov.br pe.it pe.kr pe.leg.br pecori.jp peewee.jp penne.jp
        penza.su pepper.jp per.jo per.la per.nf perma.jp perso.ht perso.tn perugia.it pesaro-urbino.it pesarourbino.it
        pescara.it pet pf pf.crm.dev* pfizer pg* pg.in pg.it pgafan.net pgfog.com pgw.jp ph pharmacien.fr pharmaciens.km
        pharmacy phd phd.jo philips phone photo photography photos phutho.vn phuyen.vn phx.enscaled.us physio pi.gov.br
        pi.it pi.leg.br piacenza.it pics pictet pictures pid piebox.site piedmont.it piemonte.it pigboat.jp pila.pl
        pilot.aero pimienta.org pin pinb.gov.pl ping pink pinoko.jp pioneer pippu.hokkaido.jp pisa.it pistoia.it pisz.pl
        pivohosting.com piw.gov.pl pixolino.com pizza pk pl pl.eu.org pl.ua place platformsh.site* platter-app.dev play
        playcode.site playit.plus playstation playstation-cloud.com plc.co.im plc.ly plc.ng plc.uk plesk.page
        pleskns.com pley.games plo.ps plock.pl plumbing plurinacional.bo plus pm pmn.it pn pn.it pnc po.gov.pl po.it
        poa.br podhale.pl podlasie.pl podzone.net podzone.org pohl point2this.com pointto.us poivron.org poker
        pokrovsk.su pol.dz pol.ht pol.tr polandcentral-01.azurewebsites.net police.uk politica.bo politie polkowice.pl
        poltava.ua polyspace.com pomorskie.pl pomorze.pl poniatowa.pl ponpes.id pordenone.it porn porsanger.no
        porsangu.no porsgrunn.no port-angeles.wa.us port-ludlow.wa.us port-orchard.wa.us port-townsend.wa.us port.fr
        post post.in postman-echo.com potager.org potenza.it poulsbo.wa.us powiat.pl poznan.pl pp.az pp.ru pp.se pp.ua
        ppg.br pplx.app pr pr.gov.br pr.gov.pl pr.it pr.leg.br pr.ml pr.us prato.it praxi prd.fr prd.km prd.mg
        prequalifyme.today press press.aero press.cy press.ma press.se presse.km presse.ml preview.csb.app
        preview.emergentagent.com preview.site prg1-zerops.zone pri.ee prime primetel.cloud principe.st priv.at priv.hu
        priv.instances.scw.cloud priv.me priv.no priv.pl private.repost.aws* privatelink.snowflake.app*
        privatizehealthinsurance.net pro pro.az pro.br pro.cy pro.ec pro.fj pro.ht pro.in pro.mv pro.om pro.pr pro.tt
        pro.typeform.com pro.vn prochowice.pl prod production.aero productions prof prof.ec prof.pr profesional.bo
        progressive project.space promo properties property protection pru prudential pruszkow.pl prvcy.page prvw.eu
        przeworsk.pl ps psc.br psi.br psic.ec psiq.ec psp.gov.pl psse.gov.pl pstmn.io pt pt.eu.org pt.it pu.it pub
        pub.ec pub.instances.scw.cloud pub.sa publ.cv publ.pt public-inquiry.uk pubtls.org pueblo.bo pug.it puglia.it
        pulawy.pl punyu.jp pup.gov.pl pupu.jp pussycat.jp puter.app puter.site puter.work pv.it pvh.br pvt.ge
        pvt.k12.ma.us pw pwc py pya.jp pyatigorsk.ru pymnt.uk pythonanywhere.com pz.it q.bg qa qa2.com
        qatarcentral-01.azurewebsites.net qbuser.com qc.ca qcx.io qh.cn qld.au qld.edu.au qld.gov.au qoto.io qpon qsl.br
        qualifioapp.com qualyhqpartner.com* qualyhqportal.com* quangbinh.vn quangnam.vn quangngai.vn quangninh.vn
        quangtri.vn quebec quest quicksytes.com quipelements.com* quizzes.cx qzz.io r.appspot.com* r.bg r.cdn77.net
        r.cloud.int.apple* r.se r2.dev ra.it racing rackmaze.com rackmaze.net rade.no radio radio.am radio.br radio.fm
        radom.pl radoy.no raffleentry.org.uk rag-cloud-ch.hosteur.com rag-cloud.hosteur.com ragusa.it rahkkeravju.no
        raholt.no raindrop.jp raisa.no rakkestad.no ralingen.no rana.no randaberg.no rankoshi.hokkaido.jp
        ranzan.saitama.jp rar.ve ras.ru rauma.no ravendb.cloud ravendb.community ravendb.run ravenna.it ravpage.co.il
        raw.icp0.io* raw.icp1.io* rawa-maz.pl rc.it rdb.fr-par.scw.cloud rdb.nl-ams.scw.cloud rdb.pl-waw.scw.cloud
        rds.cn-north-1.amazonaws.com.cn* rds.cn-northwest-1.amazonaws.com.cn* rdy.jp re re.it re.kr re.no read
        read-books.org readmyblog.org readthedocs-hosted.com readthedocs.io readymade.jp realestate realestate.pl
        realm.cz realtime.supabase.co realtor realty rebun.hokkaido.jp rec.br rec.nf rec.ro rec.ve recht.pro recife.br
        recipes recreation.aero red red.sv redirectme.net redmond.wa.us redumbrella reg.dk reggio-calabria.it
        reggio-emilia.it reggiocalabria.it reggioemilia.it rehab reise reisen reit reklam.hu rel.ht rel.pl
        relay.evervault.app relay.evervault.dev reliance remotewd.com ren rendalen.no rennebu.no rennesoy.no rent
        rentals renton.wa.us rep.br rep.kp repair repbody.aero repl.co repl.run replit.app replit.dev* report republican
        res.aero res.in research.aero researched.cx reservd.com reservd.dev.thingdust.io reservd.disrec.thingdust.io
        reservd.testing.thingdust.io reserve-online.net resindevice.io resolve.bar rest restaurant restaurant.bj
        resto.bj retool.app review reviews revista.bo rexroth rg.it rgr.jp rhcloud.com ri.it ri.us ribeirao.br
        ric.jelastic.vps-host.net rice-labs.com rich richardli ricoh rieti.it rifu.miyagi.jp riik.ee
        rikubetsu.hokkaido.jp rikuzentakata.iwate.jp ril rimini.it rindal.no ringebu.no ringerike.no ringsaker.no rio
        rio.br rio.ec riobranco.br riopreto.br rip rishiri.hokkaido.jp rishirifuji.hokkaido.jp risor.no rissa.no
        ritto.shiga.jp rivne.ua rj.gov.br rj.leg.br rl.no rm.it rma.objectstorage.ch rn.gov.br rn.it rn.leg.br ro
        ro.eu.org ro.gov.br ro.it ro.leg.br roan.no rocketpreview.app rocks rocky.page rodeo rodoy.no rogers
        rokunohe.aomori.jp rollag.no roma.it rome.it romsa.no romskog.no room roros.no rost.no rotorcraft.aero
        routingthecloud.com routingthecloud.net routingthecloud.org rovigo.it rovno.ua roxa.org royal-commission.uk
        royken.no royrvik.no rr.gov.br rr.leg.br rrpp.ec rs rs.ba rs.gov.br rs.leg.br rs.webaccel.jp rsc.cdn77.org
        rsc.contentproxy9.cz rsvp rt.ht ru ru.com ru.eu.org ru.net rub.de rugby ruhr ruhr-uni-bochum.de rulez.jp run
        run.app* runcontainers.dev runs.onstackit.cloud ruovat.no rv.ua rw rwe rybnik.pl ryd.wafaicloud.com rygge.no
        ryokami.saitama.jp ryugasaki.ibaraki.jp ryukyu ryuoh.shiga.jp rzeszow.pl rzgw.gov.pl
        """
}
